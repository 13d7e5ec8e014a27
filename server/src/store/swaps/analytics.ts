/** Sums over completed swaps, for the explorer. Values are base units times the price of that day. */
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
