/**
 * Volumes per day. A past day hardly changes and may hold thousands of swaps: each is summed by its own statement and
 * cached, so a period of months costs as much as today.
 */

import type { Queries } from '../store/db/database.ts'
import { type Flow, sumFlows } from '../store/swaps/analytics.ts'

export interface Days {
  /** The flows of each day from `from`, the start of a day, until now. */
  flows(from: number, now: number): Promise<Flow[]>
}

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** A swap is stored slightly after its completion time. */
const SETTLED_MS = HOUR_MS
/** A reorg can undo a confirmed payout, so each day is summed again once per day. */
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
      // One at a time: lists share few database connections.
      for (let day = from; day <= now; day += DAY_MS) found.push(...(await flowsOf(day, now)))
      for (const [day, { at }] of kept) if (now - at >= KEEP_MS) kept.delete(day)
      return found
    },
  }
}
