/** The health of routes, from their latest swaps; computed at most every 30 s. */
import type { Services } from '../../services.ts'
import { type RouteHealthRow, readRouteHealth } from '../../store/swaps/route-health.ts'
import { createTtlCache } from './ttl-cache.ts'

export type Health = () => Promise<RouteHealthRow[]>

/** Swaps per route: enough to judge busy routes, few enough to read quickly. */
const SAMPLE = 1_000
const KEEP_MS = 30_000

export function createHealth({ database }: Services): Health {
  const keeping = createTtlCache<RouteHealthRow[]>(KEEP_MS, 1)
  return () =>
    keeping.get('', async () => {
      const rows = await readRouteHealth(database, SAMPLE)
      return rows.map((row) => ({ ...row, median: toMilliseconds(row.median), p95: toMilliseconds(row.p95) }))
    })
}

/** Rounds to milliseconds: further digits of interpolated percentiles mean nothing. */
function toMilliseconds(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1000) / 1000
}
