/** Details of a swap's timeline: each signed transaction, the postings, and the notes. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export interface AttemptStory {
  payout_id: string
  kind: string
  parts: string[]
  number: number
  hash: string
  created_at: Date
  sent_at: Date | null
  cancels: boolean
  slot_state: string
  evidence: { usedBy: string | null; reason: string } | null
  /** The payout's transaction; null while it is unknown. */
  tx_hash: string | null
}

/** All attempts of a swap's payouts, including settled slots, oldest first. */
export async function attemptsOf(queries: Queries, swapId: string, limit: number): Promise<AttemptStory[]> {
  const { rows } = await sql<AttemptStory>`
    with own as (select id, kind, tx_hash from payout where swap_id = ${swapId}),
    stood as (
      select slot_id, own.* from own join slot_payout on payout_id = own.id and live
      union all select slot_id, own.* from own join slot_payout on payout_id = own.id and not live
    )
    select stood.id as payout_id, stood.kind, stood.tx_hash, slot.parts, slot.state as slot_state, slot.evidence,
      attempt.number, attempt.hash, attempt.created_at, attempt.sent_at, attempt.cancels
    from stood join slot on slot.id = stood.slot_id join attempt on attempt.slot_id = slot.id
    order by attempt.created_at, slot.id, attempt.number limit ${limit}`.execute(queries)
  return rows
}

export async function postingsOf(
  queries: Queries,
  swapId: string,
  limit: number,
): Promise<Selectable<Schema['ledger_entry']>[]> {
  return queries
    .selectFrom('ledger_entry')
    .selectAll()
    .where('swap_id', '=', swapId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function notesOf(
  queries: Queries,
  swapId: string,
  limit: number,
): Promise<Selectable<Schema['swap_note']>[]> {
  return queries.selectFrom('swap_note').selectAll().where('swap_id', '=', swapId).orderBy('id').limit(limit).execute()
}

export async function insertNote(
  queries: Queries,
  note: { swap_id: string; author: string; at: Date; text: string },
): Promise<void> {
  await queries.insertInto('swap_note').values(note).execute()
}
