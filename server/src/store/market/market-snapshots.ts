/** What one process has asked a chain for all of them: written by whoever holds the network's lease for it, read by everybody. */
import type { Fees } from '@causeway/core'
import type { Queries } from '../db/database.ts'

export interface MarketReading {
  network: string
  fees: Fees
  /** What the treasury holds, by token. */
  balances: ReadonlyMap<string, bigint>
  /** In the family's own words. */
  survey: string | null
  at: Date
}

export async function saveReading(queries: Queries, reading: MarketReading): Promise<void> {
  const values = {
    fees: JSON.stringify(texts(Object.entries(reading.fees))),
    balances: JSON.stringify(texts(reading.balances)),
    survey: reading.survey,
    at: reading.at,
  }
  await queries
    .insertInto('market_snapshot')
    .values({ network: reading.network, ...values })
    .onConflict((conflict) => conflict.column('network').doUpdateSet(values))
    .execute()
}

export async function readReadings(queries: Queries): Promise<MarketReading[]> {
  const rows = await queries.selectFrom('market_snapshot').selectAll().execute()
  return rows.map(({ network, fees, balances, survey, at }) => ({
    network,
    fees: Object.fromEntries(numbers(fees)) as unknown as Fees,
    balances: new Map(numbers(balances)),
    survey,
    at,
  }))
}

function texts(entries: Iterable<readonly [string, bigint | undefined]>): Record<string, string> {
  return Object.fromEntries([...entries].flatMap(([key, units]) => (units === undefined ? [] : [[key, `${units}`]])))
}

function numbers(stored: Record<string, string>): [string, bigint][] {
  return Object.entries(stored).map(([key, units]) => [key, BigInt(units)])
}
