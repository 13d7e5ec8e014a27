/**
 * The cursor of a scan: the newest entry of the treasury's history that was read. It is found again by its hash, so a
 * lagging server cannot make us skip entries.
 */
import { Bug, type Cursor, type TxHash } from '@causeway/core'

export interface Place {
  block: bigint
  /** The hash of the newest entry; null if nothing had ever arrived. */
  hash: TxHash | null
}

export function formatCursor({ block, hash }: Place): Cursor {
  return `${block} ${hash ?? '-'}`
}

export function parseCursor(cursor: Cursor): Place {
  const [block = '', hash = ''] = cursor.split(' ')
  if (!/^\d+$/.test(block) || hash === '') throw new Bug('not a cursor', { cursor })
  return { block: BigInt(block), hash: hash === '-' ? null : hash }
}
