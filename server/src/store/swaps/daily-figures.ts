/** Figures per day (UTC) for the console's charts. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface DailyLatency {
  day: string
  median: number
}

export interface DailyFees {
  day: string
  network: string
  token: string
  units: bigint
}

const DAY = sql`'YYYY-MM-DD'`

/** Median seconds from the first sight of a deposit to completion. Reads the index of completed swaps. */
export async function dailyLatency(queries: Queries, since: Date): Promise<DailyLatency[]> {
  const { rows } = await sql<DailyLatency>`
    select to_char(closed_at at time zone 'utc', ${DAY}) as day,
      percentile_cont(0.5) within group (order by completion_seconds) as median
    from swap where status = 'completed' and closed_at >= ${since} and completion_seconds is not null
    group by 1 order by 1`.execute(queries)
  return rows
}

export async function dailyFees(queries: Queries, since: Date): Promise<DailyFees[]> {
  const { rows } = await sql<DailyFees>`
    select to_char(at at time zone 'utc', ${DAY}) as day, network, token, (-sum(units))::numeric(78, 0) as units
    from ledger_entry where account = 'fees' and at >= ${since}
    group by 1, 2, 3 order by 1`.execute(queries)
  return rows
}

export async function dailyPayouts(queries: Queries, since: Date): Promise<{ day: string; count: number }[]> {
  const { rows } = await sql<{ day: string; count: number }>`
    select to_char(at at time zone 'utc', ${DAY}) as day, count(*)::integer as count
    from ledger_entry where account = 'promised' and reason = 'payout' and at >= ${since}
    group by 1 order by 1`.execute(queries)
  return rows
}
