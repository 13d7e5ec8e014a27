/**
 * Sums over completed swaps for the explorer, and figures per day (UTC) for the console's charts. Values are base units times
 * the price of that day.
 */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface Flow {
  at: Date
  source_network: string
  source_token: string
  destination_network: string
  destination_token: string
  swaps: number
  in_units: bigint
  out_units: bigint
  in_value: bigint
  out_value: bigint
}

/** Sums of the swaps completed in `[from, before)`, by route and time step. Reads the index of completed swaps. */
export async function sumFlows(queries: Queries, from: Date, before: Date, stepSeconds: number): Promise<Flow[]> {
  const { rows } = await sql<Flow>`
    select date_bin(make_interval(secs => ${stepSeconds}), closed_at, ${from}::timestamptz) as at,
      source_network, source_token, destination_network, destination_token, count(*)::integer as swaps,
      sum((quote->>'requestedUnits')::numeric) as in_units, sum((quote->>'receiveUnits')::numeric) as out_units,
      sum((quote->>'requestedUnits')::numeric * (quote_view->>'sourcePrice')::numeric) as in_value,
      sum((quote->>'receiveUnits')::numeric * (quote_view->>'destinationPrice')::numeric) as out_value
    from swap
    where status = 'completed' and closed_at >= ${from} and closed_at < ${before} and quote is not null
    group by 1, 2, 3, 4, 5`.execute(queries)
  return rows
}

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
