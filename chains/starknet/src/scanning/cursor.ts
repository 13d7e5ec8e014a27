/**
 * Where a scan stopped: the newest block it covered and the hashes of some below, by which a reorganised chain is noticed
 * and the fork found. Reorgs of this network were hundreds of blocks long, so marks reach back to what is final: all of the
 * newest, and ever fewer of the older ones.
 */
import { type BlockRef, Bug, type Cursor } from '@causeway/core'

export interface Memory {
  /** The newest block covered. */
  number: bigint
  /** Oldest first. Empty where nothing is remembered. */
  marks: readonly BlockRef[]
  /** The newest block that was seen accepted below: it is never taken back, and if it is, a person must look. */
  final: BlockRef | null
}

/** The newest so many are all remembered; of older ones about eight each time the depth doubles. */
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

/** Forgets what is above this height. */
export function cutAfter(memory: Memory, height: bigint): Memory {
  return { ...memory, number: height, marks: memory.marks.filter(({ number }) => number <= height) }
}

function thinned(marks: readonly BlockRef[], newest: bigint, final: bigint): BlockRef[] {
  // The first one that is final is kept: whatever is not lies above it.
  const beyond = marks.findLastIndex(({ number }) => number <= final && newest - number >= DENSE)
  return marks.slice(Math.max(0, beyond)).filter(({ number }, place) => {
    const depth = newest - number
    if (place === 0 || depth < DENSE) return true
    let step = 1n
    while (step * 2n * SPREAD <= depth) step *= 2n
    return number % step === 0n
  })
}
