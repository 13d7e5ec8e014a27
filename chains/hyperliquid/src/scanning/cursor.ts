/**
 * The cursor of a scan: the time it reached and the rows around it that were reported, since the end of a ledger is
 * read twice.
 */
import { Bug, type Cursor } from '@causeway/core'

export interface Progress {
  /** Rows of the treasury up to this millisecond are not reported: the service was first started then. */
  since: number
  /** The network's time when it stopped. */
  time: number
  /** Rows that were reported and may be read again. */
  told: string[]
}

export function parseCursor(cursor: Cursor): Progress {
  const { since, time, told } = JSON.parse(cursor) as Partial<Progress>
  const isTime = (value: unknown): value is number => Number.isSafeInteger(value)
  if (!isTime(since) || !isTime(time) || !Array.isArray(told)) throw new Bug('not a cursor of this family', { cursor })
  return { since, time, told }
}

export function formatCursor(progress: Progress): Cursor {
  return JSON.stringify(progress)
}
