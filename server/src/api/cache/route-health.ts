/** How routes fare, by their newest swaps; summed once in a while for all who ask. */
import type { Services } from '../../services.ts'
import { type RouteHealthRow, readRouteHealth } from '../../store/swaps/route-health.ts'
import { createTtlCache } from './ttl-cache.ts'

export type Health = () => Promise<RouteHealthRow[]>

/** Enough to judge busy routes by, few enough to be read in a moment. */
const SAMPLE = 1_000
const KEEP_MS = 30_000

export function createHealth({ database }: Services): Health {
  const keeping = createTtlCache<RouteHealthRow[]>(KEEP_MS, 1)
  return () => keeping.get('', () => readRouteHealth(database, SAMPLE))
}
