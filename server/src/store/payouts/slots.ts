/**
 * Slots: with their attempts, what stands between a payout and being paid twice. A slot is handed out under the account's
 * newest fence, its parts are unique for ever, and a payout stands in one live slot at a time. It is given back unsigned,
 * or settled on the chain's evidence.
 */
import { type InvalidationProof, RetryLater, type Slot } from '@causeway/core'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { Database, Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { resetClock } from './holds.ts'

export type SlotRow = Selectable<Schema['slot']>

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

export async function readSlot(queries: Queries, id: bigint): Promise<SlotRow | null> {
  return (await queries.selectFrom('slot').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
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
  const [open, newest] = await Promise.all([
    ofAccount.where('state', '=', 'open').execute(),
    ofAccount.orderBy('id', 'desc').limit(NEWEST).execute(),
  ])
  const slots = new Map([...open, ...newest].map(({ id, parts }) => [id, parts]))
  return [...slots].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, parts]) => parts)
}

/** Open slots of an account in which something was signed. */
export async function signedSlots(queries: Queries, network: string, account: string): Promise<Slot[]> {
  const rows = await queries
    .selectFrom('slot')
    .select('parts')
    .where('network', '=', network)
    .where('account', '=', account)
    .where('state', '=', 'open')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('attempt').select('attempt.number').where('attempt.slot_id', '=', sql.ref<bigint>('slot.id'))),
    )
    .execute()
  return rows.map(({ parts }) => parts)
}

/** Parts that nobody else uses, and the payouts to be put there. */
export interface WantedSlot {
  parts: Slot
  payouts: readonly PayoutRow[]
  /** What each of them is worth now, in their order; null if there is no price. */
  usd?: readonly (bigint | null)[]
  /** When they were screened. */
  screenedAt?: Date
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
  const worths = wanted.flatMap(({ payouts, usd = [] }) => payouts.map((_, at) => usd[at]?.toString() ?? null))
  const holder = await queries
    .selectFrom('signing_account')
    .select('fence')
    .where('network', '=', network)
    .where('account', '=', account)
    .forUpdate()
    .executeTakeFirst()
  if (holder?.fence !== fence) throw new RetryLater('another worker has taken over this account')
  const worthOf = sql<bigint | null>`(select usd from unnest(${payoutIds}::uuid[], ${worths}::numeric[]) worth (of, usd)
    where of = payout.id)`
  const open = await queries
    .updateTable('payout')
    .set({ started: true, started_at: sql<Date>`now()`, usd: worthOf })
    .where('id', 'in', payoutIds)
    .where('state', '=', 'open')
    .where('undone', 'is', null)
    // A person may have said no since it was looked at, or that it was made before.
    .where('rejected_at', 'is', null)
    .where('made_in', 'is', null)
    .returning('id')
    .execute()
  if (open.length !== payoutIds.length) throw new RetryLater('a payout was closed meanwhile')
  const made = await queries
    .insertInto('slot')
    .values(
      wanted.map(({ parts, screenedAt = null }) => ({
        ...{ network, account, parts: [...parts], state: 'open' as const, screened_at: screenedAt },
      })),
    )
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

/** Its payouts were screened again. */
export async function setScreened(queries: Queries, slotId: bigint, at: Date): Promise<void> {
  await queries.updateTable('slot').set({ screened_at: at }).where('id', '=', slotId).execute()
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

/** As it is stored: numbers of blocks are text there. */
export function evidenceText(evidence: InvalidationProof): string {
  return JSON.stringify(evidence, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

/** Settles a slot on the chain's evidence. False where somebody else did it first. */
export async function settleSlot(
  queries: Queries,
  slotId: bigint,
  state: 'landed' | 'dead',
  evidence: InvalidationProof | null = null,
): Promise<boolean> {
  const settled = await queries
    .updateTable('slot')
    .set({ state, evidence: evidence && evidenceText(evidence) })
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

/**
 * Takes the payouts out of a settled slot in which they were not paid, so that they may be given another. One that the chain
 * or every node refused is counted, and what had troubled it begins anew with the next slot.
 */
export async function freePayouts(
  queries: Queries,
  slotId: bigint,
  { refused, failedAt }: { refused: boolean; failedAt: Date | null },
): Promise<void> {
  const freed = await queries
    .updateTable('slot_payout')
    .set({ live: false })
    .where('slot_id', '=', slotId)
    .returning('payout_id')
    .execute()
  if (refused)
    await resetClock(
      queries,
      freed.map(({ payout_id }) => payout_id),
    )
  await queries
    .updateTable('payout')
    .set((eb) => ({
      started: false,
      tx_hash: null,
      was_undone: null,
      ...(refused ? { reverts: eb('reverts', '+', 1), held_by: null, held_since: null } : {}),
      ...(failedAt ? { failed_at: failedAt } : {}),
    }))
    .where('id', 'in', (eb) => eb.selectFrom('slot_payout').select('payout_id').where('slot_id', '=', slotId))
    .where('state', '=', 'open')
    .execute()
}

/** Wants the slot of an open payout used up without paying anybody. False where it stands in none. */
export async function wantCancel(queries: Queries, payoutId: string, at: Date): Promise<boolean> {
  const wanted = await queries
    .updateTable('slot')
    .set((eb) => ({ cancel_at: eb.fn.coalesce('cancel_at', eb.val(at)) }))
    .where('state', '=', 'open')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('slot_payout')
        .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
        .select('slot_payout.slot_id')
        .where('slot_payout.payout_id', '=', payoutId)
        .where('slot_payout.live', '=', true)
        .where('payout.state', '=', 'open'),
    )
    .returning('id')
    .execute()
  return wanted.length === 1
}
