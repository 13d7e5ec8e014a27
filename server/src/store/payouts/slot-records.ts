/** Slots with their payouts and attempts, as the payer, the sender and the landing check read them. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import type { AttemptRow } from './attempts.ts'
import { cancelsOf, type SlotRow } from './slots.ts'

/** A slot with its payouts and attempts. */
export interface SlotRecord {
  slot: SlotRow
  payouts: PayoutRow[]
  attempts: AttemptRow[]
  /** An operator decided to cancel the slot: it is consumed without paying any recipient. */
  isCancelWanted: boolean
}

/** The live slot of a payout, if it has one. */
export async function liveSlot(queries: Queries, payoutId: string): Promise<SlotRecord | null> {
  const slot = await queries
    .selectFrom('slot')
    .innerJoin('slot_payout', 'slot_payout.slot_id', 'slot.id')
    .selectAll('slot')
    .where('slot_payout.payout_id', '=', payoutId)
    .where('slot_payout.live', '=', true)
    .executeTakeFirst()
  return slot ? withParts(queries, slot) : null
}

/**
 * Open slots to check on chain: those with an unconfirmed payout, and confirmed ones that may be final now
 * (`finalBelow`) or whose blocks were replaced (`replacedFrom`). If there are more than `limit`, stuck ones do not starve
 * the others.
 */
export async function openSlots(
  queries: Queries,
  network: string,
  wanted: { finalBelow: bigint; replacedFrom: bigint | null; limit: number },
): Promise<SlotRecord[]> {
  const { finalBelow, replacedFrom, limit } = wanted
  const payouts = sql`from slot_payout join payout on payout.id = slot_payout.payout_id
    where slot_payout.slot_id = slot.id and slot_payout.live`
  const { rows } = await sql<{ id: bigint; isWaiting: boolean }>`
    select id, state.waiting as "isWaiting" from slot, lateral (
      select bool_or(payout.state = 'open') as waiting,
        bool_or(payout.state = 'confirmed' and (payout.block_number <= ${finalBelow}
          or payout.block_number >= ${replacedFrom}::numeric)) as landed ${payouts}
    ) state
    where slot.network = ${network} and slot.state = 'open' and (state.waiting or state.landed) order by id`.execute(
    queries,
  )
  const ids = [true, false].flatMap((waiting) =>
    someOf(
      rows.filter(({ isWaiting }) => isWaiting === waiting).map(({ id }) => id),
      limit,
    ),
  )
  if (ids.length === 0) return []
  const slots = await queries.selectFrom('slot').selectAll().where('id', 'in', ids).orderBy('id').execute()
  const position = new Map(ids.map((id, index) => [id, index]))
  return withAllParts(
    queries,
    slots.sort((a, b) => (position.get(a.id) ?? 0) - (position.get(b.id) ?? 0)),
  )
}

/**
 * A quarter of the result are the oldest slots, which may block others, half the newest, and the rest are drawn at
 * random.
 */
function someOf<Item>(items: readonly Item[], limit: number): Item[] {
  if (items.length <= limit) return [...items]
  const [oldest, newest] = [Math.floor(limit / 4), Math.floor(limit / 2)]
  const between = items.slice(oldest, items.length - newest)
  const start = Math.floor(Math.random() * between.length)
  const chosen = [...between.slice(start), ...between.slice(0, start)].slice(0, limit - oldest - newest)
  return [...items.slice(0, oldest), ...chosen, ...items.slice(items.length - newest)]
}

/**
 * Selects unsent slots: `before` limits them to those before the payout's own slot, `againAt` says when a failing one
 * may be returned again.
 */
export interface TakeUp {
  limit: number
  before: bigint | null
  now: Date
  againAt: Date
}

/**
 * Open slots of the payout's account in which nothing was sent, oldest first. With account nonces they block all later
 * ones, and their own jobs may be far back in the queue. A failing slot is returned at most once until `againAt`. Slots
 * that a rule holds or that are to be cancelled are left to their own jobs.
 */
export async function takeUnsent(queries: Queries, own: PayoutRow, wanted: TakeUp): Promise<SlotRecord[]> {
  const { limit, before, now, againAt } = wanted
  const slots = await queries
    .selectFrom('slot')
    .selectAll('slot')
    .where('slot.network', '=', own.network)
    .where('slot.account', '=', own.account)
    .where('slot.state', '=', 'open')
    .$if(before !== null, (query) => query.where('slot.id', '<', before ?? 0n))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('attempt')
            .select('attempt.number')
            .where('attempt.slot_id', '=', sql.ref<bigint>('slot.id'))
            .where('attempt.sent_at', 'is not', null),
        ),
      ),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('slot_payout')
          .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
          .select('payout.id')
          .where('slot_payout.slot_id', '=', sql.ref<bigint>('slot.id'))
          .where('slot_payout.live', '=', true)
          .where((eb) =>
            eb.or([
              eb('payout.id', '=', own.id),
              eb.and([
                eb.not(eb.exists(cancelsOf(queries))),
                eb('payout.state', '=', 'open'),
                eb.or([eb('payout.held_since', 'is', null), eb('payout.held_by', '=', 'trouble')]),
                eb.not(eb.exists(troubleOf(queries).where('hold.recheck_at', '>', now))),
              ]),
            ]),
          ),
      ),
    )
    .orderBy('slot.id')
    .limit(limit)
    .execute()
  const records = await withAllParts(queries, slots)
  const troubled = records.flatMap(({ payouts }) => payouts).filter(({ held_by }) => held_by === 'trouble')
  await lookAgain(
    queries,
    troubled.map(({ id }) => id),
    againAt,
  )
  return records
}

/** The open trouble of the payout of the query around it. */
function troubleOf(queries: Queries) {
  return queries
    .selectFrom('hold')
    .select('hold.id')
    .where('hold.payout_id', '=', sql.ref<string>('payout.id'))
    .where('hold.code', '=', 'trouble')
    .where('hold.closed_at', 'is', null)
}

async function lookAgain(queries: Queries, payoutIds: readonly string[], at: Date): Promise<void> {
  if (payoutIds.length === 0) return
  await queries
    .updateTable('hold')
    .set({ recheck_at: at })
    .where('payout_id', 'in', payoutIds)
    .where('code', '=', 'trouble')
    .where('closed_at', 'is', null)
    .execute()
}

/** Locks an open slot and reads it again; null if it was settled. */
export async function lockOpenSlot(queries: Queries, slotId: bigint): Promise<SlotRecord | null> {
  const slot = await queries.selectFrom('slot').selectAll().where('id', '=', slotId).forUpdate().executeTakeFirst()
  return slot?.state === 'open' ? withParts(queries, slot) : null
}

/**
 * A payout of this slot; null if it has left the slot. The open slot and the payout are locked until the end of the
 * transaction: of two watchers that confirm it, the second one sees that it is confirmed.
 */
export async function payoutInOpenSlot(queries: Queries, slotId: bigint, payoutId: string): Promise<PayoutRow | null> {
  const slot = await queries.selectFrom('slot').select('state').where('id', '=', slotId).forShare().executeTakeFirst()
  if (slot?.state !== 'open') return null
  const payout = await queries
    .selectFrom('payout')
    .innerJoin('slot_payout', 'slot_payout.payout_id', 'payout.id')
    .selectAll('payout')
    .where('slot_payout.slot_id', '=', slotId)
    .where('slot_payout.live', '=', true)
    .where('payout.id', '=', payoutId)
    .forUpdate('payout')
    .executeTakeFirst()
  return payout ?? null
}

async function withParts(queries: Queries, slot: SlotRow): Promise<SlotRecord> {
  const [record] = await withAllParts(queries, [slot])
  return record ?? { slot, payouts: [], attempts: [], isCancelWanted: false }
}

/** Reads the payouts and attempts of all slots with three queries, however many slots there are. */
async function withAllParts(queries: Queries, slots: readonly SlotRow[]): Promise<SlotRecord[]> {
  if (slots.length === 0) return []
  const ids = slots.map(({ id }) => id)
  const payouts = await queries
    .selectFrom('payout')
    .innerJoin('slot_payout', 'slot_payout.payout_id', 'payout.id')
    .selectAll('payout')
    .select('slot_payout.slot_id')
    .where('slot_payout.slot_id', 'in', ids)
    .where('slot_payout.live', '=', true)
    .orderBy('payout.id')
    .execute()
  const attempts = await queries
    .selectFrom('attempt')
    .selectAll()
    .where('slot_id', 'in', ids)
    .orderBy('number')
    .execute()
  const cancels = await queries
    .selectFrom('decision')
    .select('slot_id')
    .where('slot_id', 'in', ids)
    .where('answer', '=', 'cancel')
    .execute()
  const cancelled = new Set(cancels.map(({ slot_id }) => slot_id))
  const [paid, signed] = [Map.groupBy(payouts, slotOf), Map.groupBy(attempts, slotOf)]
  return slots.map((slot) => ({
    slot,
    payouts: (paid.get(slot.id) ?? []).map(({ slot_id, ...payout }) => payout),
    attempts: signed.get(slot.id) ?? [],
    isCancelWanted: cancelled.has(slot.id),
  }))
}

function slotOf({ slot_id }: { slot_id: bigint }): bigint {
  return slot_id
}
