/**
 * Slots, which with their attempts prevent paying twice. A slot is the nonce or the set of UTXOs that a transaction
 * uses; each nonce or UTXO is a *part*. A slot is allocated under the account's newest fencing token, its parts are
 * unique forever, and a payout has one live slot at a time. A slot is released unsigned, or settled by proof from the
 * chain.
 */
import { type InvalidationProof, RetryLater, type Slot } from '@causeway/core'
import { type Selectable, sql, type Transaction } from 'kysely'
import type { Database, Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { resetClock } from './holds.ts'
import { closeReorged } from './reorged-payouts.ts'

export type SlotRow = Selectable<Schema['slot']>

/** Takes the account's next fencing token. Only the holder of the newest token may allocate slots. */
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

/** Nodes may lag by a few blocks, so this many of the newest slots are returned even if they are settled. */
const NEWEST = 50

/** Slots of an account that are not settled, and the newest ones in any state. */
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

/** Open slots of an account with at least one signed transaction. */
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

/** The parts of a new slot, and its payouts. */
export interface WantedSlot {
  parts: Slot
  payouts: readonly PayoutRow[]
  /** The current value of each payout, in order; null if there is no price. */
  usd?: readonly (bigint | null)[]
  /** When the payouts were screened. */
  screenedAt?: Date
}

/**
 * Allocates slots for payouts, all or none. Throws if the fencing token is outdated, a part is taken, or a payout is
 * closed or has another slot. Returns the slots in the requested order.
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
    // An operator may have rejected it meanwhile, or decided that it was paid before a reorg.
    .where(sql<boolean>`held_by is distinct from 'undone'`)
    .where('rejected_at', 'is', null)
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
  if (standing.length !== payoutIds.length) throw new RetryLater('a payout has another slot')
  return slots
}

/** Records that the slot's payouts were screened again. */
export async function setScreened(queries: Queries, slotId: bigint, at: Date): Promise<void> {
  await queries.updateTable('slot').set({ screened_at: at }).where('id', '=', slotId).execute()
}

/** Deletes a slot in which nothing was ever signed. */
export async function releaseUnsigned(database: Database, slotId: bigint): Promise<boolean> {
  return database.transaction().execute((queries) => releaseSlot(queries, slotId))
}

/** Like `releaseUnsigned`, inside the caller's transaction. */
export async function releaseSlot(queries: Queries, slotId: bigint): Promise<boolean> {
  const slot = await queries.selectFrom('slot').select('state').where('id', '=', slotId).forUpdate().executeTakeFirst()
  const signed = await queries.selectFrom('attempt').select('number').where('slot_id', '=', slotId).execute()
  if (slot?.state !== 'open' || signed.length > 0) return false
  await queries
    .updateTable('payout')
    .set({ started: false })
    .where('id', 'in', (eb) => eb.selectFrom('slot_payout').select('payout_id').where('slot_id', '=', slotId))
    .execute()
  await queries.deleteFrom('slot').where('id', '=', slotId).execute()
  return true
}

/** The proof as it is stored: block numbers are text in JSON. */
function evidenceText(evidence: InvalidationProof): string {
  return JSON.stringify(evidence, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

/** Settles a slot by proof from the chain. False if another process did it first. */
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
  // No transaction of a dead slot can be mined any more, so its unused parts (other UTXOs) are free again.
  if (state === 'dead' && settled.length === 1) {
    await queries.deleteFrom('slot_part').where('slot_id', '=', slotId).execute()
  }
  return settled.length === 1
}

/**
 * Detaches the payouts from a settled slot in which they were not paid, so that they may get another one. A refusal by
 * the chain or by every node is counted, and the give-up clock restarts.
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
  const ids = freed.map(({ payout_id }) => payout_id)
  await closeReorged(queries, ids)
  if (refused) await resetClock(queries, ids)
  await queries
    .updateTable('payout')
    .set((eb) => ({
      started: false,
      tx_hash: null,
      ...(refused ? { reverts: eb('reverts', '+', 1), held_by: null, held_since: null } : {}),
      ...(failedAt ? { failed_at: failedAt } : {}),
    }))
    .where('id', 'in', (eb) => eb.selectFrom('slot_payout').select('payout_id').where('slot_id', '=', slotId))
    .where('state', '=', 'open')
    .execute()
}

/** SQL: the operators' decisions to cancel the slot of the outer query. */
export function cancelsOf(queries: Queries) {
  return queries
    .selectFrom('decision')
    .select('decision.id')
    .where('decision.slot_id', '=', sql.ref<bigint>('slot.id'))
    .where('decision.answer', '=', 'cancel')
}
