/**
 * Finds slots and attempts by the names that the journal has: a slot's parts, and the line in which an attempt was
 * signed.
 */
import { Bug } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { SlotRow } from '../payouts/slots.ts'

interface Place {
  network: string
  account: string
  slot: readonly string[]
}

/** The newest slot with exactly these parts; null if the database never had it or lost it in a rollback. */
export async function findSlot(queries: Queries, { network, account, slot }: Place): Promise<SlotRow | null> {
  const row = await queries
    .selectFrom('slot')
    .selectAll()
    .where('network', '=', network)
    .where('account', '=', account)
    .where(sql<boolean>`parts = ${[...slot]}::text[]`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Whether a payout of this slot is confirmed as paid in it, and the journal lines of its signatures. */
export async function closingOf(queries: Queries, slotId: bigint): Promise<{ isPaid: boolean; lines: number[] }> {
  const { rows } = await sql<{ paid: boolean; lines: number[] }>`
    select exists (select from slot_payout where slot_id = ${slotId} and live) as paid,
      array(select journal_n::float8 from attempt where slot_id = ${slotId} and journal_n is not null) as lines
  `.execute(queries)
  const [row] = rows
  if (!row) throw new Bug('the database answers nothing about a slot', { slotId: `${slotId}` })
  return { isPaid: row.paid, lines: row.lines }
}

export interface AdoptedAttempt {
  number: number
  hash: string
  bytes: string
  cancels: boolean
  feeCeiling: bigint
  line: { n: number; hash: string }
}

/** Stores signed attempts that the database lacks; existing ones stay unchanged. Returns the number of new ones. */
export async function adoptAttempts(
  queries: Queries,
  slotId: bigint,
  attempts: readonly AdoptedAttempt[],
  at: Date,
): Promise<number> {
  if (attempts.length === 0) return 0
  const rows = await queries
    .insertInto('attempt')
    .values(
      attempts.map(({ number, hash, bytes, cancels, feeCeiling, line }) => ({
        ...{ slot_id: slotId, number, hash, bytes, cancels, fee_ceiling: feeCeiling, created_at: at },
        ...{ journal_n: BigInt(line.n), journal_hash: line.hash },
      })),
    )
    .onConflict((conflict) => conflict.columns(['slot_id', 'number']).doNothing())
    .returning('number')
    .execute()
  return rows.length
}

/** The slot of the attempt that was signed in this journal line; null if the database lacks it. */
export async function slotOfLine(queries: Queries, line: { n: number; hash: string }): Promise<SlotRow | null> {
  const row = await queries
    .selectFrom('slot')
    .innerJoin('attempt', 'attempt.slot_id', 'slot.id')
    .selectAll('slot')
    .where('attempt.journal_n', '=', BigInt(line.n))
    .where('attempt.journal_hash', '=', line.hash)
    .executeTakeFirst()
  return row ?? null
}

/** Ids of all payouts that were ever assigned to this slot. */
export async function payoutsIn(queries: Queries, slotId: bigint): Promise<string[]> {
  const rows = await queries.selectFrom('slot_payout').select('payout_id').where('slot_id', '=', slotId).execute()
  return rows.map(({ payout_id }) => payout_id)
}

/** The journal's line numbers of the attempts stored in this slot. */
export async function linesOf(queries: Queries, slotId: bigint): Promise<number[]> {
  const rows = await queries.selectFrom('attempt').select('journal_n').where('slot_id', '=', slotId).execute()
  return rows.flatMap(({ journal_n }) => (journal_n === null ? [] : [Number(journal_n)]))
}
