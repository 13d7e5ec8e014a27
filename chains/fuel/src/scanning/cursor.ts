/**
 * The cursor of a scan: the newest scanned block and the ids of those below. A Fuel block does not name its parent, so
 * only these reveal a reorg.
 */
import { Bug, type Cursor, type Network } from '@causeway/core'

export interface Memory {
  /** The newest block covered. */
  height: bigint
  /** Oldest first, the last one is that of `height`. */
  ids: readonly string[]
}

/** Some minutes of blocks; fewer would cover only seconds of a local chain. */
const LEAST_REMEMBERED = 100

export function parseCursor(cursor: Cursor): Memory {
  const { height, ids }: Record<keyof Memory, unknown> = JSON.parse(cursor)
  if (typeof height !== 'string' || !Array.isArray(ids)) throw new Bug('not a cursor of this family', { cursor })
  return { height: BigInt(height), ids }
}

export function formatCursor({ height, ids }: Memory): Cursor {
  return JSON.stringify({ height: height.toString(), ids })
}

export function remembered({ finalDepth }: Network): number {
  return Math.max(LEAST_REMEMBERED, 2 * finalDepth)
}

/** The oldest block remembered. */
export function oldest({ height, ids }: Memory): bigint {
  return height - BigInt(ids.length) + 1n
}

export function idAt(memory: Memory, height: bigint): string | null {
  const place = Number(height - oldest(memory))
  return place < 0 ? null : (memory.ids[place] ?? null)
}

export function extend(memory: Memory, ids: readonly string[], network: Network): Memory {
  const all = [...memory.ids, ...ids]
  return { height: memory.height + BigInt(ids.length), ids: all.slice(-remembered(network)) }
}

/** Drops the ids above this height. */
export function cutAfter(memory: Memory, height: bigint): Memory {
  const kept = height - oldest(memory) + 1n
  return { height, ids: memory.ids.slice(0, kept < 0n ? 0 : Number(kept)) }
}
