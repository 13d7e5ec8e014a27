/**
 * The cursor of a scan: the newest scanned block and the blocks below it, slot and hash, which reveal a dropped fork.
 * Slots without a block are simply absent.
 */
import { Bug, type Cursor } from '@causeway/core'

export interface Memory {
  /** The newest slot covered. */
  slot: bigint
  /** Remembered blocks, oldest first; the last one is the block of `slot`. Empty if there are none. */
  blocks: readonly Remembered[]
  /** Recently reported deposits, if blocks are not read. */
  reported: readonly Reported[]
  /** The slot where the scan began: nothing older was searched. */
  from: bigint
}

export interface Remembered {
  slot: bigint
  hash: string
}

/** A reported deposit in a block that is not final yet. */
export interface Reported extends Remembered {
  signature: string
}

/** Twice the depth at which the chain itself calls a block final. */
const REMEMBERED = 64

export function parseCursor(cursor: Cursor): Memory {
  const { slot, blocks, reported = [], from = '0' }: Record<keyof Memory, unknown> = JSON.parse(cursor)
  if (typeof slot !== 'string' || !Array.isArray(blocks) || !Array.isArray(reported)) {
    throw new Bug('not a cursor of this family', { cursor })
  }
  return {
    slot: BigInt(slot),
    blocks: blocks.map(([at, hash]) => ({ slot: BigInt(at), hash: String(hash) })),
    reported: reported.map(([signature, at, hash]) => ({ signature, slot: BigInt(at), hash: String(hash) })),
    from: BigInt(String(from)),
  }
}

export function formatCursor({ slot, blocks, reported, from }: Memory): Cursor {
  return JSON.stringify({
    slot: `${slot}`,
    blocks: blocks.map((block) => [`${block.slot}`, block.hash]),
    ...(from > 0n && { from: `${from}` }),
    ...(reported.length > 0 && { reported: reported.map((one) => [one.signature, `${one.slot}`, one.hash]) }),
  })
}

export function remember(memory: Memory, fresh: readonly Remembered[]): Memory {
  const newest = fresh.at(-1)
  if (!newest) return memory
  const added = fresh.map(({ slot, hash }) => ({ slot, hash }))
  return { slot: newest.slot, blocks: [...memory.blocks, ...added].slice(-REMEMBERED), reported: [], from: 0n }
}

/** Drops the blocks above this slot, which is now the newest one covered. */
export function cutAfter({ blocks }: Memory, slot: bigint): Memory {
  return { slot, blocks: blocks.filter((block) => block.slot <= slot), reported: [], from: 0n }
}
