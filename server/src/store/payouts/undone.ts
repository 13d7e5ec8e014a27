/** Payouts that had counted and were undone. They wait, without a slot, until a person has said what they are now. */
import type { InvalidationProof } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { holdPayout } from './holds.ts'
import { evidenceText } from './slots.ts'

/** Holds it, with what was known of it and the evidence against that. `payout` is as it was when it counted. */
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
      // An answer to another question, from before it counted.
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

/** For payouts that belong to no swap: those that do are opened again by `advance` only. */
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
 * A person says that it was not made: it may get another slot. What it was is kept: until something was signed for it, another
 * person may know better. Null where it does not wait for that answer.
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

/** A person says that it was made: from here on it stands by what was known of it. Null where nobody has said so. */
export async function takeAsMade(queries: Queries, id: string): Promise<PayoutRow | null> {
  const row = await queries
    .updateTable('payout')
    .set({
      tx_hash: sql<string | null>`undone->>'hash'`,
      block_number: sql<bigint | null>`(undone->>'block')::numeric`,
      // The word was about the transfer: nothing was said against its address.
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
