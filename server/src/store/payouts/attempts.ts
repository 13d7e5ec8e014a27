/** Attempts: the transactions signed in a slot. They are stored before they are sent, and never changed or deleted. */
import { RetryLater, type SignedTransfer } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Database, Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type AttemptRow = Selectable<Schema['attempt']>

export interface NewAttempt {
  slotId: bigint
  number: number
  transfer: SignedTransfer
  /** Whether this attempt is a cancellation: it consumes the slot and pays nothing. */
  cancels?: boolean
  /** The journal line that recorded the signature. */
  line?: { n: number; hash: string }
}

/**
 * Stores signed transactions before they are sent, all or none. Throws if a slot is settled or another process has
 * signed in it meanwhile.
 */
export async function addAttempts(database: Database, signed: readonly NewAttempt[], at: Date): Promise<AttemptRow[]> {
  const [only] = signed
  if (only && signed.length === 1) return [await addAttempt(database, only, at)]
  return database.transaction().execute(async (queries) => {
    const slots = await queries
      .selectFrom('slot')
      .select('state')
      .where(
        'id',
        'in',
        signed.map(({ slotId }) => slotId),
      )
      .orderBy('id')
      .forUpdate()
      .execute()
    if (slots.length < signed.length || slots.some(({ state }) => state !== 'open'))
      throw new RetryLater('the slot is settled')
    const attempts = await queries
      .insertInto('attempt')
      .values(
        signed.map(({ slotId, number, transfer: { hash, bytes, feeCeiling }, cancels = false, line }) => ({
          ...{ slot_id: slotId, number, hash, bytes, cancels, created_at: at },
          fee_ceiling: feeCeiling ?? null,
          ...(line ? { journal_n: BigInt(line.n), journal_hash: line.hash } : {}),
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute()
    if (attempts.length < signed.length) throw new RetryLater('another worker signed this attempt')
    return attempts
  })
}

/** Stores one attempt by a single statement, which locks the slot while it stores. */
async function addAttempt(database: Database, signed: NewAttempt, at: Date): Promise<AttemptRow> {
  const { slotId, number, transfer, cancels = false, line = null } = signed
  const { hash, bytes, feeCeiling = null } = transfer
  const { rows } = await sql<AttemptRow>`
    with standing as (select id from slot where id = ${slotId} and state = 'open' for update)
    insert into attempt (slot_id, number, hash, bytes, cancels, created_at, fee_ceiling, journal_n, journal_hash)
    select id, ${number}::integer, ${hash}, ${bytes}, ${cancels}::boolean, ${at}::timestamptz, ${feeCeiling}::numeric,
      ${line?.n ?? null}::bigint, ${line?.hash ?? null}
    from standing on conflict do nothing returning *`.execute(database)
  const [attempt] = rows
  if (!attempt) throw new RetryLater('the slot is settled, or another worker signed this attempt')
  return attempt
}

/** Finds a transaction that we signed on this network, by hash. */
export async function findSigned(queries: Queries, network: string, hash: string): Promise<SignedTransfer | null> {
  const found = await queries
    .selectFrom('attempt')
    .innerJoin('slot', 'slot.id', 'attempt.slot_id')
    .select(['attempt.hash', 'attempt.bytes'])
    .where((eb) => eb(eb.fn('lower', ['attempt.hash']), '=', hash.toLowerCase()))
    .where('attempt.hash', '=', hash)
    .where('slot.network', '=', network)
    .executeTakeFirst()
  return found ?? null
}

/** Which of these transactions we signed as a sale. Their transfers to us are its proceeds. */
export async function salesAmong(queries: Queries, network: string, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const found = await queries
    .selectFrom('attempt')
    .innerJoin('slot', 'slot.id', 'attempt.slot_id')
    .innerJoin('slot_payout', 'slot_payout.slot_id', 'slot.id')
    .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
    .select('attempt.hash')
    .where((eb) =>
      eb(
        eb.fn<string>('lower', ['attempt.hash']),
        'in',
        hashes.map((hash) => hash.toLowerCase()),
      ),
    )
    .where('slot.network', '=', network)
    .where('payout.kind', '=', 'sale')
    .execute()
  return new Set(found.map(({ hash }) => hash))
}

/** Records that every node will reject these bytes permanently. False if that was recorded before. */
export async function markRefused(queries: Queries, { slot_id, number }: AttemptRow, at: Date): Promise<boolean> {
  const rows = await queries
    .updateTable('attempt')
    .set({ refused_at: at })
    .where('slot_id', '=', slot_id)
    .where('number', '=', number)
    .where('refused_at', 'is', null)
    .returning('number')
    .execute()
  return rows.length === 1
}

/** Records that a node accepted a cancellation, which is no payout's transaction. */
export async function markCancelSent(queries: Queries, { slot_id, number }: AttemptRow, at: Date): Promise<void> {
  await queries
    .updateTable('attempt')
    .set((eb) => ({ sent_at: at, accepted_at: eb.fn.coalesce('accepted_at', eb.val(at)) }))
    .where('slot_id', '=', slot_id)
    .where('number', '=', number)
    .execute()
}

/**
 * Records that a node accepted the transaction: its payouts are no longer held. If the slot was settled meanwhile, it
 * has no payouts.
 */
export async function markSent(queries: Queries, attempt: AttemptRow, payoutIds: string[], at: Date): Promise<void> {
  await queries
    .with('marked', (also) =>
      also
        .updateTable('attempt')
        .set((eb) => ({ sent_at: at, accepted_at: eb.fn.coalesce('accepted_at', eb.val(at)) }))
        .where('slot_id', '=', attempt.slot_id)
        .where('number', '=', attempt.number),
    )
    .with('progressed', (also) =>
      also
        .updateTable('hold')
        .set({ runs_clock: false })
        .where(sql<boolean>`payout_id = any(${payoutIds}::uuid[])`)
        .where('runs_clock', '=', true),
    )
    .updateTable('payout')
    .set((eb) => ({
      tx_hash: eb.case().when('state', '=', 'open').then(attempt.hash).else(eb.ref('tx_hash')).end(),
      sent_at: eb.fn.coalesce('sent_at', eb.val(at)),
      held_since: null,
      held_by: null,
    }))
    .where(sql<boolean>`id = any(${payoutIds}::uuid[])`)
    .execute()
}
