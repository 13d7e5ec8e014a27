/** How the newest swaps of each pair of networks ended, and how long they took. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface RouteHealthRow {
  source: string
  destination: string
  swaps: number
  completed: number
  median: number | null
  p95: number | null
}

/** Only funded swaps: an unpaid one says nothing about a route. */
export async function readRouteHealth(queries: Queries, sample: number): Promise<RouteHealthRow[]> {
  const { rows } = await sql<RouteHealthRow>`
    select source, destination, count(*)::int as swaps, count(seconds)::int as completed,
      percentile_cont(0.5) within group (order by seconds)::float8 as median,
      percentile_cont(0.95) within group (order by seconds)::float8 as p95
    from (
      select swap.source_network as source, swap.destination_network as destination,
        case when swap.status = 'completed'
          then extract(epoch from swap.closed_at - min(deposit.seen_at))::float8 end as seconds
      from (
        (select * from swap where status = 'completed' order by closed_at desc limit ${sample})
        union all
        (select * from swap where status in ('failed', 'refunded') order by closed_at desc limit ${sample})
      ) swap
      join deposit on deposit.swap_id = swap.id
      group by swap.id, swap.source_network, swap.destination_network, swap.status, swap.closed_at
    ) newest
    group by source, destination
    order by count(*) desc, source, destination`.execute(queries)
  return rows
}
