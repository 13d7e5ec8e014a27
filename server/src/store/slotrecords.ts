/** Slots as whoever pays, sends or judges them looks at them: with the payouts that stand in them and what was signed. */
import { sql } from 'kysely'
import type { AttemptRow } from './attempts.ts'
import type { Queries } from './database.ts'
import type { SlotRow } from './slots.ts'
import type { PayoutRow } from './swaps.ts'

/** A slot with what it pays and what was signed in it. */
export interface SlotRecord {
  slot: SlotRow
  payouts: PayoutRow[]
  attempts: AttemptRow[]
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
 * Slots to be looked at: those with a payout that does not count yet; and of the others, which stay open until they are
 * final, those that may be final now (`finalBelow`) or stood in blocks that were replaced (`shakenFrom`).
 */
export async function openSlots(
  queries: Queries,
  network: string,
  wanted: { finalBelow: bigint; shakenFrom: bigint | null; limit: number },
): Promise<SlotRecord[]> {
  const open = queries
    .selectFrom('slot')
    .selectAll('slot')
    .where('slot.network', '=', network)
    .where('slot.state', '=', 'open')
    .orderBy('slot.id')
    .limit(wanted.limit)
  const inState = (state: 'open' | 'confirmed') =>
    queries
      .selectFrom('slot_payout')
      .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
      .select('slot_payout.slot_id')
      .where('slot_payout.slot_id', '=', sql.ref<bigint>('slot.id'))
      .where('slot_payout.live', '=', true)
      .where('payout.state', '=', state)
  const waiting = await open.where(({ exists }) => exists(inState('open'))).execute()
  const landed = await open
    .where(({ not, exists }) => not(exists(inState('open'))))
    .where(({ exists }) =>
      exists(
        inState('confirmed').where((eb) =>
          eb.or([
            eb('payout.block_number', '<=', wanted.finalBelow),
            ...(wanted.shakenFrom === null ? [] : [eb('payout.block_number', '>=', wanted.shakenFrom)]),
          ]),
        ),
      ),
    )
    .execute()
  return withAllParts(queries, [...waiting, ...landed])
}

/**
 * Open slots of the payout's account in which nothing was sent so far, oldest first. Those whose payouts are held have
 * jobs of their own for that, but for the payout itself.
 */
export async function unsentSlots(queries: Queries, own: PayoutRow, limit: number): Promise<SlotRecord[]> {
  const slots = await queries
    .selectFrom('slot')
    .selectAll('slot')
    .where('slot.network', '=', own.network)
    .where('slot.account', '=', own.account)
    .where('slot.state', '=', 'open')
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
              eb.and([eb('payout.state', '=', 'open'), eb('payout.held_since', 'is', null)]),
            ]),
          ),
      ),
    )
    .orderBy('slot.id')
    .limit(limit)
    .execute()
  return withAllParts(queries, slots)
}

/** Locks a slot that is still open, and reads it anew; null where somebody has settled it. */
export async function lockOpenSlot(queries: Queries, slotId: bigint): Promise<SlotRecord | null> {
  const slot = await queries.selectFrom('slot').selectAll().where('id', '=', slotId).forUpdate().executeTakeFirst()
  return slot?.state === 'open' ? withParts(queries, slot) : null
}

/** A payout that stands in this slot, while the slot is open and until the end of the transaction; null where it does not. */
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
    .executeTakeFirst()
  return payout ?? null
}

async function withParts(queries: Queries, slot: SlotRow): Promise<SlotRecord> {
  const [record] = await withAllParts(queries, [slot])
  return record ?? { slot, payouts: [], attempts: [] }
}

/** By two questions, however many there are. */
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
  const [paid, signed] = [Map.groupBy(payouts, slotOf), Map.groupBy(attempts, slotOf)]
  return slots.map((slot) => ({
    slot,
    payouts: (paid.get(slot.id) ?? []).map(({ slot_id, ...payout }) => payout),
    attempts: signed.get(slot.id) ?? [],
  }))
}

function slotOf({ slot_id }: { slot_id: bigint }): bigint {
  return slot_id
}
