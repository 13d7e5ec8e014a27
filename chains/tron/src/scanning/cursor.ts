/** The cursor of a scan: the newest scanned block and the ids of those before it, which reveal a reorg. */
import { Bug, type Cursor } from '@causeway/core'

export interface Memory {
  /** The newest block covered. */
  number: bigint
  /** The ids of it and of earlier blocks, oldest first; empty if nothing is remembered. */
  ids: readonly string[]
}

/** Remembered blocks: deeper than a final block; a branch is never longer. */
const REMEMBERED = 40

export function parseCursor(cursor: Cursor): Memory {
  const { number, ids }: Record<string, unknown> = JSON.parse(cursor)
  if (typeof number !== 'string' || !Array.isArray(ids)) throw new Bug('not a cursor of this family', { cursor })
  return { number: BigInt(number), ids: ids.map(String) }
}

export function formatCursor({ number, ids }: Memory): Cursor {
  return JSON.stringify({ number: `${number}`, ids })
}

export function idAt({ number, ids }: Memory, height: bigint): string | null {
  return height > number ? null : (ids[ids.length - 1 - Number(number - height)] ?? null)
}

export function remember(memory: Memory, blocks: readonly { number: bigint; id: string }[]): Memory {
  const newest = blocks.at(-1)
  if (!newest) return memory
  return { number: newest.number, ids: [...memory.ids, ...blocks.map(({ id }) => id)].slice(-REMEMBERED) }
}

/** Drops the ids above this height. */
export function cutAfter({ number, ids }: Memory, height: bigint): Memory {
  const above = Number(number - height)
  return { number: height, ids: ids.slice(0, Math.max(0, ids.length - above)) }
}
