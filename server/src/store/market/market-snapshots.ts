/** Chain data that one process reads for all. The holder of the network's lease writes it, every process reads it. */
import type { Fees } from '@causeway/core'
import type { Queries } from '../db/database.ts'

export interface FeeSample extends Pick<Fees, 'nativeTransfer' | 'tokenTransfer'> {
  /** Time in milliseconds since 1970. */
  at: number
}

export interface MarketReading {
  network: string
  fees: Fees
  /** The fees of the last half hour, oldest first. A single value far above them is ignored. */
  recent: readonly FeeSample[]
  /** The treasury's balances by token. */
  balances: ReadonlyMap<string, bigint>
  /** The family's survey of its contracts: text that only the family reads. */
  survey: string | null
  at: Date
}

export async function saveReading(queries: Queries, reading: MarketReading): Promise<void> {
  const values = {
    fees: JSON.stringify(texts(Object.entries(reading.fees))),
    balances: JSON.stringify(texts(reading.balances)),
    recent_fees: JSON.stringify(reading.recent.map(sampleTexts)),
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
  return rows.map(({ network, fees, balances, recent_fees, survey, at }) => ({
    network,
    fees: Object.fromEntries(numbers(fees)) as unknown as Fees,
    balances: new Map(numbers(balances)),
    recent: recent_fees.map(sampleOf),
    survey,
    at,
  }))
}

type StoredSample = { at: number; nativeTransfer: string; tokenTransfer: string }

function sampleTexts({ at, nativeTransfer, tokenTransfer }: FeeSample): StoredSample {
  return { at, nativeTransfer: `${nativeTransfer}`, tokenTransfer: `${tokenTransfer}` }
}

function sampleOf({ at, nativeTransfer, tokenTransfer }: StoredSample): FeeSample {
  return { at, nativeTransfer: BigInt(nativeTransfer), tokenTransfer: BigInt(tokenTransfer) }
}

function texts(entries: Iterable<readonly [string, bigint | undefined]>): Record<string, string> {
  return Object.fromEntries([...entries].flatMap(([key, units]) => (units === undefined ? [] : [[key, `${units}`]])))
}

function numbers(stored: Record<string, string>): [string, bigint][] {
  return Object.entries(stored).map(([key, units]) => [key, BigInt(units)])
}
