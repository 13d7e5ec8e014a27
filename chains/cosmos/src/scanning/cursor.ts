/** Where a scan stopped: the newest block that was read, by which the next one must be shown to follow. */
import { type BlockRef, Bug, type Cursor } from '@causeway/core'

export function parseCursor(cursor: Cursor): BlockRef {
  const [, number, hash] = /^(\d{1,18}) ([0-9A-F]{64})$/.exec(cursor) ?? []
  if (number === undefined || hash === undefined) throw new Bug('not a cursor of this family', { cursor })
  return { number: BigInt(number), hash }
}

export function formatCursor({ number, hash }: BlockRef): Cursor {
  return `${number} ${hash}`
}
