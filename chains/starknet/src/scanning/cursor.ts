/**
 * The cursor of a scan: the newest scanned block and some hashes below it, which reveal a reorg and its fork point.
 * Reorgs of this network were hundreds of blocks long, so hashes reach back to the final block: all of the newest, and
 * ever fewer older ones.
 */
import { type BlockRef, Bug, type Cursor } from '@causeway/core'

export interface Memory {
  /** The newest block covered. */
  number: bigint
  /** Oldest first. Empty if nothing is remembered. */
  marks: readonly BlockRef[]
  /** The newest block that was seen accepted on L1. It is never reverted; if it is, an operator must check. */
  final: BlockRef | null
}

/** The newest `DENSE` are all kept; of older ones about `SPREAD` each time the depth doubles. */
const DENSE = 64n
const SPREAD = 8n

export function parseCursor(cursor: Cursor): Memory {
  const { number, marks, final }: Record<string, unknown> = JSON.parse(cursor)
  if (typeof number !== 'string' || !Array.isArray(marks)) throw new Bug('not a cursor of this family', { cursor })
  const read = ([at, hash]: [string, string]): BlockRef => ({ number: BigInt(at), hash })
  return { number: BigInt(number), marks: marks.map(read), final: Array.isArray(final) ? read(final as never) : null }
}

export function formatCursor({ number, marks, final }: Memory): Cursor {
  const write = (mark: BlockRef) => [`${mark.number}`, mark.hash]
  return JSON.stringify({ number: `${number}`, marks: marks.map(write), ...(final ? { final: write(final) } : {}) })
}

export function hashAt({ marks }: Memory, height: bigint): string | null {
  return marks.findLast(({ number }) => number === height)?.hash ?? null
}

export function remember(memory: Memory, blocks: readonly BlockRef[], final: BlockRef): Memory {
  const newest = blocks.at(-1)
  if (!newest) return memory
  const marks = [...memory.marks, ...blocks.map(({ number, hash }) => ({ number, hash }))]
  const reached = memory.final && memory.final.number > final.number ? memory.final : final
  return {
    number: newest.number,
    marks: thinned(marks, newest.number, reached.number),
    final: { number: reached.number, hash: reached.hash },
  }
}

/** Drops the hashes above this height. */
export function cutAfter(memory: Memory, height: bigint): Memory {
  return { ...memory, number: height, marks: memory.marks.filter(({ number }) => number <= height) }
}

function thinned(marks: readonly BlockRef[], newest: bigint, final: bigint): BlockRef[] {
  // The first final one is kept, so that everything not final lies above it.
  const beyond = marks.findLastIndex(({ number }) => number <= final && newest - number >= DENSE)
  return marks.slice(Math.max(0, beyond)).filter(({ number }, place) => {
    const depth = newest - number
    if (place === 0 || depth < DENSE) return true
    let step = 1n
    while (step * 2n * SPREAD <= depth) step *= 2n
    return number % step === 0n
  })
}
