/**
 * Where a scan stopped: the newest block it covered and the hashes of the blocks below, by which a reorganised chain
 * is noticed and the fork found.
 */
import { type BlockRef, Bug, type Cursor } from '@causeway/core'

export interface Memory {
  /** The newest block covered. */
  number: bigint
  /** Oldest first, the last one is that of `number`. Empty where nothing is remembered. */
  hashes: readonly string[]
}

/** Fewer would forget a chain of quick blocks within seconds. */
const LEAST_REMEMBERED = 64

export function parseCursor(cursor: Cursor): Memory {
  const { number, hashes }: { number?: unknown; hashes?: unknown } = JSON.parse(cursor)
  if (typeof number !== 'string' || !Array.isArray(hashes)) throw new Bug('not a cursor of this family', { cursor })
  return { number: BigInt(number), hashes }
}

export function formatCursor({ number, hashes }: Memory): Cursor {
  return JSON.stringify({ number: number.toString(), hashes })
}

export function hashAt({ number, hashes }: Memory, height: bigint): string | null {
  if (height > number) return null
  return hashes[hashes.length - 1 - Number(number - height)] ?? null
}

/** The oldest block remembered. */
export function oldest({ number, hashes }: Memory): bigint {
  return number - BigInt(hashes.length) + 1n
}

export function remember(memory: Memory, blocks: readonly BlockRef[], finalDepth: number): Memory {
  const newest = blocks.at(-1)
  if (!newest) return memory
  const hashes = [...memory.hashes, ...blocks.map(({ hash }) => hash)]
  return { number: newest.number, hashes: hashes.slice(-Math.max(LEAST_REMEMBERED, finalDepth)) }
}

/** Forgets what is above this height. */
export function cutAfter(memory: Memory, height: bigint): Memory {
  const kept = Number(height - oldest(memory)) + 1
  return { number: height, hashes: memory.hashes.slice(0, Math.max(0, kept)) }
}
