/**
 * What was swapped, day by day. A day that is over hardly changes, and a busy one has thousands of swaps: each is summed by a
 * statement of its own and remembered, so that a period of months costs what today costs.
 */

import type { Queries } from '../store/db/database.ts'
import { type Flow, sumFlows } from '../store/swaps/analytics.ts'

export interface Days {
  /** Of the days from the beginning of one until now, each by its beginning. */
  flows(from: number, now: number): Promise<Flow[]>
}

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** A swap is stored a moment after the time that it says it was completed at. */
const SETTLED_MS = HOUR_MS
/** A payout can be undone that had counted: each day is summed anew once a day. */
const KEEP_MS = DAY_MS

export function createDays(queries: Queries): Days {
  const kept = new Map<number, { flows: Promise<Flow[]>; at: number }>()
  const sum = (day: number, before: number) => sumFlows(queries, new Date(day), new Date(before), DAY_MS / 1000)
  const flowsOf = (day: number, now: number): Promise<Flow[]> => {
    const end = day + DAY_MS
    if (now < end + SETTLED_MS) return sum(day, Math.min(end, now + 1))
    const last = kept.get(day)
    if (last && now - last.at < KEEP_MS) return last.flows
    const flows = sum(day, end)
    kept.set(day, { flows, at: now })
    flows.catch(() => kept.delete(day))
    return flows
  }
  return {
    async flows(from, now) {
      const found: Flow[] = []
      // One after the other: lists have few connections, and others want theirs.
      for (let day = from; day <= now; day += DAY_MS) found.push(...(await flowsOf(day, now)))
      for (const [day, { at }] of kept) if (now - at >= KEEP_MS) kept.delete(day)
      return found
    },
  }
}
