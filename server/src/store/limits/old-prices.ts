/** Settlements at prices that cost us more than the service fee, which the exposure limit counts. */
import type { OldPrice, OldPricesPaid } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { lockBudgets } from './safeguards.ts'

/** One settlement at a time checks and uses the limit of an asset, until the end of the transaction. */
export async function lockOldPrices(queries: Queries, { takenAsset, paidAsset }: OldPrice): Promise<void> {
  await lockBudgets(queries, [`old price taken ${takenAsset}`, `old price paid ${paidAsset}`])
}

/** Dollars that other swaps were settled for at old prices since then. */
export async function oldPricesSince(
  queries: Queries,
  { takenAsset, paidAsset }: OldPrice,
  since: Date,
  swapId: string,
): Promise<OldPricesPaid> {
  const { rows } = await sql<OldPricesPaid>`
    select coalesce(sum(usd) filter (where taken_asset = ${takenAsset}), 0)::numeric(78, 0) as "takenUsd",
      coalesce(sum(usd) filter (where paid_asset = ${paidAsset}), 0)::numeric(78, 0) as "paidUsd"
    from old_price where at >= ${since} and swap_id <> ${swapId}::uuid`.execute(queries)
  return rows[0] ?? { takenUsd: 0n, paidUsd: 0n }
}

/** A swap whose payout was voided may be settled again: the last settlement counts. */
export async function recordOldPrice(
  queries: Queries,
  swapId: string,
  { takenAsset, paidAsset, usd }: OldPrice,
  at: Date,
): Promise<void> {
  const row = { taken_asset: takenAsset, paid_asset: paidAsset, usd, at }
  await queries
    .insertInto('old_price')
    .values({ swap_id: swapId, ...row })
    .onConflict((conflict) => conflict.column('swap_id').doUpdateSet(row))
    .execute()
}
