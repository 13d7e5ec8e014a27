/**
 * Slots and attempts: what stands between a payout and being paid twice. A slot is handed out under the account's newest
 * fence, its parts are unique for ever, and a payout stands in one live slot at a time; attempts are only ever added.
 */
import { RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { Database, Queries } from './database.ts'
import type { Schema } from './schema.ts'
import type { PayoutRow } from './swaps.ts'

export type SlotRow = Selectable<Schema['slot']>
export type AttemptRow = Selectable<Schema['attempt']>

/** A slot with what it pays and what was signed in it. */
export interface SlotRecord {
  slot: SlotRow
  payouts: PayoutRow[]
  attempts: AttemptRow[]
}

/** Makes the caller the only one who may hand out slots of this account, until somebody else does the same. */
export async function takeFence(queries: Queries, network: string, account: string): Promise<bigint> {
  const { fence } = await queries
    .insertInto('signing_account')
    .values({ network, account, fence: 1n })
    .onConflict((conflict) =>
      conflict.columns(['network', 'account']).doUpdateSet((eb) => ({ fence: eb('signing_account.fence', '+', 1n) })),
    )
    .returning('fence')
    .executeTakeFirstOrThrow()
  return fence
}

/** Nodes may lag by a few blocks: slots this new are told even where they are settled. */
const NEWEST = 50

/** Slots of an account that are not settled, and the newest ones whatever became of them. */
export async function takenSlots(queries: Queries, network: string, account: string): Promise<Slot[]> {
  const ofAccount = queries
    .selectFrom('slot')
    .select(['id', 'parts'])
    .where('network', '=', network)
    .where('account', '=', account)
  const open = await ofAccount.where('state', '=', 'open').execute()
  const newest = await ofAccount.orderBy('id', 'desc').limit(NEWEST).execute()
  const slots = new Map([...open, ...newest].map(({ id, parts }) => [id, parts]))
  return [...slots].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, parts]) => parts)
}

/** Parts that nobody else uses, and the payouts to be put there. */
export interface WantedSlot {
  parts: Slot
  payouts: readonly PayoutRow[]
}

/**
 * Puts payouts into slots, all or none. Fails without a trace where the fence has moved on, a part is taken, or one of the
 * payouts is no longer open or stands in another slot. The slots come in the order they were asked for.
 */
export async function allocateSlots(
  queries: Transaction<Schema>,
  { network, account, fence }: { network: string; account: string; fence: bigint },
  wanted: readonly WantedSlot[],
): Promise<SlotRow[]> {
  const payoutIds = wanted.flatMap(({ payouts }) => payouts.map(({ id }) => id))
  const holder = await queries
    .selectFrom('signing_account')
    .select('fence')
    .where('network', '=', network)
    .where('account', '=', account)
    .forUpdate()
    .executeTakeFirst()
  if (holder?.fence !== fence) throw new RetryLater('another worker has taken over this account')
  const open = await queries
    .updateTable('payout')
    .set({ started: true })
    .where('id', 'in', payoutIds)
    .where('state', '=', 'open')
    .returning('id')
    .execute()
  if (open.length !== payoutIds.length) throw new RetryLater('a payout was closed meanwhile')
  const made = await queries
    .insertInto('slot')
    .values(wanted.map(({ parts }) => ({ network, account, parts: [...parts], state: 'open' as const })))
    .returningAll()
    .execute()
  const byParts = new Map(made.map((slot) => [slot.parts.join(), slot]))
  const placed = wanted.flatMap(({ parts, payouts }) => {
    const slot = byParts.get(parts.join())
    return slot ? [{ slot, payouts }] : []
  })
  const slots = placed.map(({ slot }) => slot)
  const rows = slots.flatMap(({ id, parts }) => parts.map((part) => ({ network, account, part, slot_id: id })))
  const parts = await queries
    .insertInto('slot_part')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('part')
    .execute()
  if (parts.length !== rows.length) throw new RetryLater('a part of the slot is taken')
  const standing = await queries
    .insertInto('slot_payout')
    .values(placed.flatMap(({ slot, payouts }) => payouts.map(({ id }) => ({ slot_id: slot.id, payout_id: id }))))
    .onConflict((conflict) => conflict.doNothing())
    .returning('payout_id')
    .execute()
  if (standing.length !== payoutIds.length) throw new RetryLater('a payout stands in another slot')
  return slots
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
  return Promise.all([...waiting, ...landed].map((slot) => withParts(queries, slot)))
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
  return Promise.all(slots.map((slot) => withParts(queries, slot)))
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
  const payouts = await queries
    .selectFrom('payout')
    .innerJoin('slot_payout', 'slot_payout.payout_id', 'payout.id')
    .selectAll('payout')
    .where('slot_payout.slot_id', '=', slot.id)
    .where('slot_payout.live', '=', true)
    .orderBy('payout.id')
    .execute()
  const attempts = await queries
    .selectFrom('attempt')
    .selectAll()
    .where('slot_id', '=', slot.id)
    .orderBy('number')
    .execute()
  return { slot, payouts, attempts }
}

/** Stores signed bytes before they are sent, all or none. Refused where a slot is settled or somebody else signed meanwhile. */
export async function addAttempts(
  database: Database,
  signed: readonly { slotId: bigint; number: number; transfer: SignedTransfer }[],
): Promise<AttemptRow[]> {
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
      .values(signed.map(({ slotId, number, transfer: { hash, bytes } }) => ({ slot_id: slotId, number, hash, bytes })))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute()
    if (attempts.length < signed.length) throw new RetryLater('another worker signed this attempt')
    return attempts
  })
}

/** The node has it. What had held the payouts does so no longer. */
export async function markSent(queries: Queries, attempt: AttemptRow, payoutIds: string[], at: Date): Promise<void> {
  await queries
    .with('marked', (also) =>
      also
        .updateTable('attempt')
        .set({ sent_at: at })
        .where('slot_id', '=', attempt.slot_id)
        .where('number', '=', attempt.number),
    )
    .updateTable('payout')
    .set((eb) => ({
      tx_hash: eb.case().when('state', '=', 'open').then(attempt.hash).else(eb.ref('tx_hash')).end(),
      sent_at: eb.fn.coalesce('sent_at', eb.val(at)),
      held_reason: null,
      held_since: null,
      held_by: null,
    }))
    .where('id', 'in', payoutIds)
    .execute()
}

/** A slot in which nothing was ever signed can be given back as if it had not been taken. */
export async function releaseUnsigned(database: Database, slotId: bigint): Promise<boolean> {
  return database.transaction().execute(async (queries) => {
    const slot = await queries
      .selectFrom('slot')
      .select('state')
      .where('id', '=', slotId)
      .forUpdate()
      .executeTakeFirst()
    const signed = await queries.selectFrom('attempt').select('number').where('slot_id', '=', slotId).execute()
    if (slot?.state !== 'open' || signed.length > 0) return false
    await queries
      .updateTable('payout')
      .set({ started: false })
      .where('id', 'in', (eb) => eb.selectFrom('slot_payout').select('payout_id').where('slot_id', '=', slotId))
      .execute()
    await queries.deleteFrom('slot').where('id', '=', slotId).execute()
    return true
  })
}

/** Settles a slot on the chain's evidence. False where somebody else did it first. */
export async function settleSlot(queries: Queries, slotId: bigint, state: 'landed' | 'dead'): Promise<boolean> {
  const settled = await queries
    .updateTable('slot')
    .set({ state })
    .where('id', '=', slotId)
    .where('state', '=', 'open')
    .returning('id')
    .execute()
  // Nothing of a dead slot can land any more: what it did not use up (other coins of a transfer) is free again.
  if (state === 'dead' && settled.length === 1) {
    await queries.deleteFrom('slot_part').where('slot_id', '=', slotId).execute()
  }
  return settled.length === 1
}

/** Takes the payouts out of a settled slot in which they were not paid, so that they may be given another. */
export async function freePayouts(queries: Queries, slotId: bigint, reverted: boolean): Promise<void> {
  await queries.updateTable('slot_payout').set({ live: false }).where('slot_id', '=', slotId).execute()
  await queries
    .updateTable('payout')
    .set((eb) => ({ started: false, tx_hash: null, reverts: reverted ? eb('reverts', '+', 1) : eb.ref('reverts') }))
    .where('id', 'in', (eb) => eb.selectFrom('slot_payout').select('payout_id').where('slot_id', '=', slotId))
    .where('state', '=', 'open')
    .execute()
}
