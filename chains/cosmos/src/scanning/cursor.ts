/** The cursor of a scan: the newest scanned block, which the next one must follow. */
import { type BlockRef, Bug, type Cursor } from '@causeway/core'

export interface Stop extends BlockRef {
  /**
   * The hash of the results that were read, which the next header proves or disproves; null if there is nothing to
   * prove.
   */
  results: string | null
}

export function parseCursor(cursor: Cursor): Stop {
  const [, number, hash, results] = /^(\d{1,18}) ([0-9A-F]{64})(?: ([0-9A-F]{64}))?$/.exec(cursor) ?? []
  if (number === undefined || hash === undefined) throw new Bug('not a cursor of this family', { cursor })
  return { number: BigInt(number), hash, results: results ?? null }
}

export function formatCursor({ number, hash, results }: Stop): Cursor {
  return [number, hash, ...(results === null ? [] : [results])].join(' ')
}
