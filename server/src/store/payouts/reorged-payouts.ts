/**
 * Confirmed payouts that a reorg removed. Each waits, without a slot, under an open hold until an operator answers it.
 * The hold has the former transaction; `held_by` is `undone` until it is answered.
 */
import type { InvalidationProof, PayoutHold } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { holdPayout, insertDecision, type NewDecision } from './holds.ts'

/** Holds the payout with its former transaction and the evidence against it. `payout` is its row from before. */
export async function holdReorged(
  queries: Queries,
  { id, tx_hash: txHash, block_number: block }: PayoutRow,
  evidence: InvalidationProof,
  now: Date,
): Promise<void> {
  // An earlier rejection answered another question.
  await queries
    .updateTable('payout')
    .set({ rejected_at: null })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('rejected_at', 'is not', null)
    .execute()
  const hold: PayoutHold = {
    code: 'payout_reorged',
    ...{ txHash, block: block?.toString() ?? null, evidence: evidence.reason },
  }
  await holdPayout(queries, id, { hold, now })
}

/** For payouts without a swap; `advance` reopens all others. */
export async function reopenPayout(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable('payout')
    .set({ state: 'open', confirmed_at: null, tx_hash: null, block_number: null })
    .where('id', '=', id)
    .where('swap_id', 'is', null)
    .where('state', '=', 'confirmed')
    .execute()
}

export interface ReorgedHold {
  id: string
  /** An operator decided to pay again. It stays open until that payment has ended. */
  isAnswered: boolean
  /** An operator decided that it was paid. */
  wasPaid: boolean
}

/** Null if no reorg removed the payout, or if it was paid again or rejected since. */
export async function readReorged(queries: Queries, payoutId: string): Promise<ReorgedHold | null> {
  const { rows } = await sql<ReorgedHold>`
    select id, answered_at is not null as "isAnswered",
      exists (select from decision where hold_id = hold.id and answer = 'was_paid') as "wasPaid"
    from hold where payout_id = ${payoutId} and code = 'payout_reorged' and closed_at is null`.execute(queries)
  return rows[0] ?? null
}

/**
 * An operator decided that the payout was not made: it may get another slot. Its hold stays open, because another
 * operator may correct this until a transaction of the new slot has ended. Null if it does not wait for this decision.
 */
export async function payAgain(queries: Queries, id: string, decision: NewDecision): Promise<PayoutRow | null> {
  const reorged = await readReorged(queries, id)
  if (!reorged || reorged.isAnswered || reorged.wasPaid) return null
  await insertDecision(queries, { ...decision, on: { holdId: reorged.id }, answer: 'pay_again' })
  return setHeldBy(queries, id, null)
}

/** An operator decided that the payout was made, perhaps after another one decided to pay again. */
export async function countPaid(queries: Queries, id: string, decision: NewDecision): Promise<PayoutRow | null> {
  const reorged = await readReorged(queries, id)
  if (!reorged) return null
  await insertDecision(queries, { ...decision, on: { holdId: reorged.id }, answer: 'was_paid' })
  return setHeldBy(queries, id, 'undone')
}

async function setHeldBy(queries: Queries, id: string, by: 'undone' | null): Promise<PayoutRow | null> {
  const since = by === null ? null : sql<Date>`coalesce(held_since, now())`
  const row = await queries
    .updateTable('payout')
    .set({ held_by: by, held_since: since })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** The question is over: the payout was rejected, or its new slot has ended unpaid. */
export async function closeReorged(queries: Queries, payoutIds: readonly string[]): Promise<void> {
  await sql`update hold set closed_at = now()
    where payout_id = any(${payoutIds}::uuid[]) and code = 'payout_reorged' and closed_at is null`.execute(queries)
}

/**
 * The payout gets its former transaction back, as an operator decided. Null if there is no such decision, or if another
 * process has carried it out.
 */
export async function takeAsMade(queries: Queries, id: string): Promise<PayoutRow | null> {
  const { rows } = await sql<PayoutRow>`
    update payout set held_by = null, held_since = null,
      tx_hash = hold.params->>'txHash', block_number = (hold.params->>'block')::numeric
    from hold
    where payout.id = ${id} and payout.state = 'open' and payout.held_by = 'undone'
      and hold.payout_id = payout.id and hold.code = 'payout_reorged' and hold.closed_at is null
      and exists (select from decision where hold_id = hold.id and answer = 'was_paid')
    returning payout.*`.execute(queries)
  return rows[0] ?? null
}
