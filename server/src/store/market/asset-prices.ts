/** The last price of each asset. The service stores it for operator commands, which have no price sources. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface AssetPrice {
  /** The token's group, or its symbol. */
  name: string
  usd: bigint
  at: Date
}

/** Stores newer prices. Several processes may do so at once, in the same order. */
export async function savePrices(queries: Queries, prices: readonly AssetPrice[]): Promise<void> {
  if (prices.length === 0) return
  const rows = prices.map(({ name, usd, at }) => ({ name, usd: `${usd}`, at: at.toISOString() }))
  await sql`insert into asset_price as price (name, usd, at)
    select name, usd, at from json_to_recordset(${JSON.stringify(rows)}::json) as read (name text, usd numeric, at timestamptz)
    order by name
    on conflict (name) do update set usd = excluded.usd, at = excluded.at where price.at < excluded.at`.execute(queries)
}

export async function readPrices(queries: Queries): Promise<AssetPrice[]> {
  return queries.selectFrom('asset_price').selectAll().execute()
}
