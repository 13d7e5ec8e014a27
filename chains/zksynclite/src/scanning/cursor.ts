/**
 * Where a scan stopped: the newest entry of the treasury's past that was read. It is found again by its name, so a server
 * that is behind cannot make us pass over what it does not show yet.
 */
import { Bug, type Cursor, type TxHash } from '@causeway/core'

export interface Place {
  block: bigint
  /** Null where nothing had ever come. */
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
