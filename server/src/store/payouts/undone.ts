/** Confirmed payouts that a reorg removed. They wait without a slot until an operator decides. */
import type { InvalidationProof } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { holdPayout } from './holds.ts'
import { evidenceText } from './slots.ts'

/**
 * Holds the payout with its former transaction and the evidence against it. `payout`: the row before the reorg was
 * found.
 */
export async function holdUndone(
  queries: Queries,
  { id, tx_hash: hash, block_number: block }: PayoutRow,
  evidence: InvalidationProof,
  now: Date,
): Promise<void> {
  const undone = `{"hash":${JSON.stringify(hash)},"block":${JSON.stringify(block?.toString() ?? null)},"evidence":${evidenceText(evidence)}}`
  const rows = await queries
    .updateTable('payout')
    .set({
      undone,
      // An earlier rejection was about another question, so it is cleared.
      rejected_at: null,
    })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .returning('id')
    .execute()
  if (rows.length === 0) return
  const known = { txHash: hash, block: block?.toString() ?? null, evidence: evidence.reason }
  await holdPayout(queries, id, { hold: { code: 'payout_reorged', ...known }, now })
}

/** Reopens a payout without a swap; `advance` reopens all others. */
export async function reopenPayout(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable('payout')
    .set({ state: 'open', confirmed_at: null, tx_hash: null, block_number: null })
    .where('id', '=', id)
    .where('swap_id', 'is', null)
    .where('state', '=', 'confirmed')
    .execute()
}

/**
 * An operator decided that the payout was not made: it may get another slot. Its record is kept, because another
 * operator may correct this until something is signed. Null if it does not wait for this decision.
 */
export async function payAgain(queries: Queries, id: string): Promise<PayoutRow | null> {
  const row = await queries
    .updateTable('payout')
    .set((eb) => ({
      was_undone: eb.ref('undone').$castTo<string | null>(),
      ...{ undone: null, held_by: null, held_since: null },
    }))
    .where('id', '=', id)
    .where('undone', 'is not', null)
    .where('rejected_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/**
 * An operator decided that the payout was made: it gets its former transaction back. Null if there is no such decision.
 */
export async function takeAsMade(queries: Queries, id: string): Promise<PayoutRow | null> {
  const row = await queries
    .updateTable('payout')
    .set({
      tx_hash: sql<string | null>`undone->>'hash'`,
      block_number: sql<bigint | null>`(undone->>'block')::numeric`,
      // The rejection meant "do not pay again, the first payment was made". If it stayed, it would count as a refusal
      // of the recipient.
      rejected_at: null,
      ...{ undone: null, held_by: null, held_since: null },
    })
    .where('id', '=', id)
    .where('undone', 'is not', null)
    .where('rejected_at', 'is not', null)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}
