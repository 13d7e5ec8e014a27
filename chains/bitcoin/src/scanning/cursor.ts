/**
 * The cursor of a scan: the newest scanned block, the hashes of the blocks below, which reveal a reorg and its fork
 * point, and the pending transactions that were already reported.
 */
import { Bug, type Cursor, type Network } from '@causeway/core'

export interface Memory {
  /** The newest block covered. */
  height: number
  /** The hashes, oldest first; the last one is that of `height`. */
  hashes: readonly string[]
  /** Mempool deposits that were already reported. */
  waiting: readonly string[]
}

/**
 * Remembered blocks at least: a day and a half on the real network; fewer would cover only seconds of a local chain.
 */
const LEAST_REMEMBERED = 200

export function parseCursor(cursor: Cursor): Memory {
  const { height, hashes, waiting }: Record<keyof Memory, unknown> = JSON.parse(cursor)
  if (typeof height !== 'number' || !Array.isArray(hashes) || !Array.isArray(waiting)) {
    throw new Bug('not a cursor of this family', { cursor })
  }
  return { height, hashes, waiting }
}

export function formatCursor({ height, hashes, waiting }: Memory): Cursor {
  return JSON.stringify({ height, hashes, waiting })
}

export function remembered({ finalDepth }: Network): number {
  return Math.max(LEAST_REMEMBERED, 2 * finalDepth)
}

/** The oldest block remembered. */
export function oldest({ height, hashes }: Memory): number {
  return height - hashes.length + 1
}

export function hashAt({ height, hashes }: Memory, at: number): string | null {
  return at > height ? null : (hashes[hashes.length - 1 - (height - at)] ?? null)
}

export function extend(memory: Memory, hashes: readonly string[], network: Network): Memory {
  const all = [...memory.hashes, ...hashes]
  return { ...memory, height: memory.height + hashes.length, hashes: all.slice(-remembered(network)) }
}

/** Drops the hashes above this height. */
export function cutAfter(memory: Memory, height: number): Memory {
  return { ...memory, height, hashes: memory.hashes.slice(0, Math.max(0, height - oldest(memory) + 1)) }
}
