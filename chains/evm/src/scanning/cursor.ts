/**
 * The cursor of a scan: the newest scanned block and some hashes below it, which reveal a reorg and its fork point. All
 * of the newest hashes are kept and ever fewer older ones. So the fork point is exact where reorgs happen, a little
 * early elsewhere, and the cursor stays small however deep final is.
 */
import { type BlockRef, Bug, type Cursor } from '@causeway/core'

export interface Memory {
  /** The newest block covered. */
  number: bigint
  /** Remembered blocks, oldest first; empty if there are none. */
  marks: readonly BlockRef[]
  /** The block up to which logs were rechecked; absent if blocks are read in full. */
  checkedTo?: bigint
}

/** The minimum number of remembered blocks: fewer would cover only seconds of a chain with fast blocks. */
const LEAST_REMEMBERED = 64
/** The newest `DENSE` blocks are all kept; of older ones about `SPREAD` each time the depth doubles. */
const DENSE = 32n
const SPREAD = 4n

export function parseCursor(cursor: Cursor): Memory {
  const { number, hashes, marks, checkedTo }: Record<string, unknown> = JSON.parse(cursor)
  if (typeof number !== 'string') throw new Bug('not a cursor of this family', { cursor })
  const newest = BigInt(number)
  if (Array.isArray(marks)) {
    const read = (marks as [string, string][]).map(([at, hash]) => ({ number: BigInt(at), hash }))
    return { number: newest, marks: read, ...(typeof checkedTo === 'string' ? { checkedTo: BigInt(checkedTo) } : {}) }
  }
  // The earlier format: the hashes of all blocks without a gap.
  if (!Array.isArray(hashes)) throw new Bug('not a cursor of this family', { cursor })
  const oldestNumber = newest - BigInt(hashes.length) + 1n
  return { number: newest, marks: hashes.map((hash, i) => ({ number: oldestNumber + BigInt(i), hash: String(hash) })) }
}

export function formatCursor({ number, marks, checkedTo }: Memory): Cursor {
  return JSON.stringify({
    number: `${number}`,
    marks: marks.map((mark) => [`${mark.number}`, mark.hash]),
    ...(checkedTo === undefined ? {} : { checkedTo: `${checkedTo}` }),
  })
}

export function hashAt({ marks }: Memory, height: bigint): string | null {
  return marks.findLast(({ number }) => number === height)?.hash ?? null
}

/** The number of the oldest remembered block. */
export function oldest({ number, marks }: Memory): bigint {
  return marks[0]?.number ?? number + 1n
}

export function remember(memory: Memory, blocks: readonly BlockRef[], finalDepth: number): Memory {
  const newest = blocks.at(-1)
  if (!newest) return memory
  const marks = [...memory.marks, ...blocks.map(({ number, hash }) => ({ number, hash }))]
  return { ...memory, number: newest.number, marks: thinned(marks, newest.number, finalDepth) }
}

/** Drops the hashes above this height. */
export function cutAfter(memory: Memory, height: bigint): Memory {
  const { checkedTo } = memory
  return {
    number: height,
    marks: memory.marks.filter(({ number }) => number <= height),
    ...(checkedTo === undefined ? {} : { checkedTo: checkedTo < height ? checkedTo : height }),
  }
}

function thinned(marks: readonly BlockRef[], newest: bigint, finalDepth: number): BlockRef[] {
  const deepest = BigInt(Math.max(LEAST_REMEMBERED, finalDepth))
  const beyond = marks.findLastIndex(({ number }) => newest - number >= deepest)
  const taken = new Set<string>()
  // The first block beyond the depth is kept, so that every block that is not final is above it. Each bucket keeps its
  // oldest block, which stays the oldest when buckets merge.
  return marks.slice(Math.max(0, beyond)).filter(({ number }) => {
    const depth = newest - number
    if (depth < DENSE) return true
    let bucket = 1n
    while (bucket * 2n * SPREAD <= depth) bucket *= 2n
    const key = `${bucket} ${number / bucket}`
    if (taken.has(key)) return false
    taken.add(key)
    return true
  })
}
