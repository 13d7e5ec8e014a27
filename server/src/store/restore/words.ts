/** After a restore: a person's words on payouts. One was made by a transaction that was found, or by none and may go. */
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import type { RestoredRow } from './restored.ts'

/** The payout, locked until the end of the transaction: neither a slot nor another word comes in between. */
export async function lockPayout(queries: Queries, id: string): Promise<PayoutRow | null> {
  const row = await queries.selectFrom('payout').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? null
}

/** What of a transaction can have made this payout; a fee pays nobody. */
export function partFor(rows: readonly RestoredRow[], payout: PayoutRow): RestoredRow | undefined {
  return rows.find(
    ({ network, account, token, is_fee }) =>
      network === payout.network && account === payout.account && token === payout.token && !is_fee,
  )
}

/** It was made by that transaction. From here on nothing pays it, until a person says otherwise. */
export async function markPaid(queries: Queries, payoutId: string, txHash: string): Promise<void> {
  await queries.updateTable('payout').set({ made_in: txHash }).where('id', '=', payoutId).execute()
  await forgetUnpaid(queries, payoutId)
}

/** Whoever said so was wrong. */
export async function forgetUnpaid(queries: Queries, payoutId: string): Promise<void> {
  await queries.deleteFrom('unpaid_payout').where('payout_id', '=', payoutId).execute()
}

/** It was not made, and may go: at once, or where it counts as made when that has been taken back. */
export async function markUnpaid(queries: Queries, payoutId: string, by: string, at: Date): Promise<void> {
  await queries
    .updateTable('payout')
    .set({ made_in: null })
    .where('id', '=', payoutId)
    .where('state', '=', 'open')
    .execute()
  await queries
    .insertInto('unpaid_payout')
    .values({ payout_id: payoutId, answered_by: by, at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function isSaidUnpaid(queries: Queries, payoutId: string): Promise<boolean> {
  const rows = queries.selectFrom('unpaid_payout').select('payout_id').where('payout_id', '=', payoutId)
  return (await rows.executeTakeFirst()) !== undefined
}

/** Which transactions are said to have made some of these, by payout. */
export async function saidPaid(queries: Queries, payoutIds: readonly string[]): Promise<Map<string, string>> {
  if (payoutIds.length === 0) return new Map()
  const rows = await queries.selectFrom('payout').select(['id', 'made_in']).where('id', 'in', payoutIds).execute()
  return new Map(rows.flatMap(({ id, made_in }) => (made_in === null ? [] : [[id, made_in] as const])))
}

/** What the payouts are for that this part of a transaction is said to have made. */
export async function unitsSaid(queries: Queries, { tx_hash, network, account, token }: RestoredRow): Promise<bigint> {
  const { units } = await queries
    .selectFrom('payout')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<bigint>('units'), eb.lit(0)).as('units'))
    .where('made_in', '=', tx_hash)
    .where('network', '=', network)
    .where('account', '=', account)
    .where('token', '=', token)
    .executeTakeFirstOrThrow()
  return BigInt(units)
}

/** It counts no longer by the word that was wrong. */
export async function forgetMade(queries: Queries, payoutId: string): Promise<void> {
  await queries.updateTable('payout').set({ made_in: null }).where('id', '=', payoutId).execute()
}
