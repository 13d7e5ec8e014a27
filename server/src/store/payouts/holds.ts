/** Holds of payouts: opens them, finds the open ones, and stores the operators' answers. */
import {
  covers,
  HOLD_CODES,
  type Hold,
  holdClass,
  holdParams,
  type PayoutHold,
  PayoutImpossible,
  runsGiveUpClock,
} from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import { inTransaction, type Queries, storable } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { Answer, HeldBy } from '../db/schema-holds.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

export interface OpenHold<Kind extends Hold = PayoutHold> {
  id: string
  hold: Kind
  /** Text of the underlying error, for operators. */
  detail: string | null
  openedAt: Date
  /** Whether an operator has answered the hold. It stays open as long as its objection lasts. */
  isAnswered: boolean
}

/** The hold class that is stored in the payout's row. */
function heldBy(hold: PayoutHold): HeldBy {
  if (hold.code === 'payout_reorged') return 'undone'
  return holdClass(hold).isRetried ? 'trouble' : 'rule'
}

interface NewHold {
  hold: PayoutHold
  detail?: string | null
  now: Date
  recheck?: Recheck
}

/**
 * When a hold is rechecked if nothing wakes the payout. A change of rules wakes the payouts that are held by one. This
 * payout may not have been when the rules changed, for example because it was just being held: then it is rechecked at
 * `soonAt`.
 */
interface Recheck {
  at: Date
  soonAt: Date
}

/**
 * How long the payout has been in trouble (which counts towards giving up), and how long its present hold has been
 * open.
 */
export interface Held {
  id: string | null
  troubleMs: number
  openMs: number
}

/**
 * Holds an open payout for this reason. It replaces a hold that no operator has answered; if the reason is the same,
 * that hold keeps its id. A hold that was answered and not closed yet is left alone. A `payout_reorged` hold neither
 * replaces other holds nor is replaced by them: it needs an answer of its own. The payout's row is locked first, so
 * the later of two concurrent callers wins.
 */
export async function holdPayout(queries: Queries, id: string, given: NewHold): Promise<Held> {
  const { hold, now, recheck } = given
  const detail = given.detail == null ? null : storable(given.detail)
  return inTransaction(queries, async (tx) => {
    const payout = await tx.selectFrom('payout').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    if (payout?.state !== 'open') return { id: null, troubleMs: 0, openMs: 0 }
    // Read from the locked row: what the caller has read may have changed since.
    const recheckAt = (payout.held_by === 'rule' ? recheck?.at : recheck?.soonAt) ?? null
    const isReorg = hold.code === 'payout_reorged'
    const asked = (await readOpenHolds(tx, [id])).get(id) ?? []
    const others = asked.filter((one) => !one.isAnswered && (one.hold.code === 'payout_reorged') === isReorg)
    const same = others.find((one) => covers(one.hold, hold))
    await closeHolds(
      tx,
      others.filter((one) => one !== same).map((one) => one.id),
      now,
    )
    const holdId = same ? same.id : await insertHold(tx, id, { hold, detail, now }, recheckAt)
    if (same) await tx.updateTable('hold').set({ detail, recheck_at: recheckAt }).where('id', '=', same.id).execute()
    const isReorged = asked.some((one) => one.hold.code === 'payout_reorged' && !one.isAnswered)
    const by = isReorged ? 'undone' : heldBy(hold)
    const since = (payout.held_by === by && payout.held_since) || now
    await tx.updateTable('payout').set({ held_by: by, held_since: since }).where('id', '=', id).execute()
    const openMs = now.getTime() - (same?.openedAt ?? now).getTime()
    return { id: holdId, troubleMs: await troubleMs(tx, id, now), openMs }
  })
}

async function insertHold(
  queries: Queries,
  id: string,
  { hold, detail, now }: NewHold,
  recheckAt: Date | null,
): Promise<string> {
  const row = await queries
    .insertInto('hold')
    .values({
      ...{ payout_id: id, code: hold.code, params: JSON.stringify(holdParams(hold)), detail: detail ?? null },
      ...{ needs_person: holdClass(hold).needsPerson, runs_clock: runsGiveUpClock(hold) },
      ...{ opened_at: now, recheck_at: recheckAt },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/**
 * How long the payout has been in trouble since its last progress. Time on hold by a rule or an operator does not
 * count.
 */
export async function troubleMs(queries: Queries, payoutId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select coalesce(sum(greatest(0, extract(epoch from coalesce(closed_at, ${now}) - opened_at))), 0)::float8 * 1000 as ms
    from hold where payout_id = ${payoutId} and runs_clock`.execute(queries)
  return rows[0]?.ms ?? 0
}

/** Whether the payout was ever refused: by its recipient, its token, or its exchange. */
export async function wasRefused(queries: Queries, payoutId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from hold where payout_id = ${payoutId} and code = 'trouble' and params ->> 'error' = ${PayoutImpossible.name}
    limit 1`.execute(queries)
  return rows.length > 0
}

/** Restarts the give-up clock, because a node accepted a transaction or the chain refused it. */
export async function resetClock(queries: Queries, payoutIds: readonly string[]): Promise<void> {
  if (payoutIds.length === 0) return
  await queries
    .updateTable('hold')
    .set({ runs_clock: false })
    .where('payout_id', 'in', payoutIds)
    .where('runs_clock', '=', true)
    .execute()
}

export async function closeHolds(queries: Queries, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return
  await queries
    .updateTable('hold')
    .set({ closed_at: now })
    .where('id', 'in', ids)
    .where('closed_at', 'is', null)
    .execute()
}

/** Marks the hold for an operator's attention. False if it is marked already: of many retries only one alerts. */
export async function raiseHold(queries: Queries, id: string): Promise<boolean> {
  const rows = await queries
    .updateTable('hold')
    .set({ needs_person: true })
    .where('id', '=', id)
    .where('needs_person', '=', false)
    .returning('id')
    .execute()
  return rows.length === 1
}

const OUTLASTING = HOLD_CODES.filter((code) => holdClass({ code }).outlastsTrouble)

/**
 * Keeps the open hold of a payout without a slot, to be rechecked later, and returns true. A node that is down must
 * neither hide the hold from operators nor start the give-up clock.
 */
export async function keepHold(queries: Queries, payoutId: string, recheckAt: Date): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update hold set recheck_at = ${recheckAt} from payout
    where hold.payout_id = ${payoutId} and hold.closed_at is null and hold.code = any(${OUTLASTING}) and hold.answered_at is null
      and payout.id = hold.payout_id and payout.state = 'open' and not payout.started and payout.held_by in ('rule', 'undone')
    returning hold.id`.execute(queries)
  return rows.length > 0
}

/** Closes earlier holds of the checks before a slot, because all of them passed now. */
export async function closePassedHolds(queries: Queries, payoutId: string, now: Date): Promise<void> {
  const passed = OUTLASTING.filter((code) => code !== 'payout_reorged')
  await sql`with closed as (
    update hold set closed_at = ${now} where payout_id = ${payoutId} and closed_at is null and answered_at is null
      and code = any(${passed}) returning id
  ) update payout set held_by = null, held_since = null
    where id = ${payoutId} and held_by = 'rule' and exists (select from closed)`.execute(queries)
}

/** SQL: an answered hold is shown until the payout continues. */
const isShown = sql<boolean>`(answered_at is null
  or exists (select from payout where payout.id = hold.payout_id and payout.held_by is not null))`

/** The open holds of waiting payouts. A reorg comes first, then unanswered holds. */
async function readOpenHolds(queries: Queries, payoutIds: readonly string[]): Promise<Map<string, OpenHold[]>> {
  if (payoutIds.length === 0) return new Map()
  const rows = await queries
    .selectFrom('hold')
    .selectAll()
    .where('payout_id', 'in', payoutIds)
    .where('closed_at', 'is', null)
    .where(isShown)
    .orderBy(sql`code = 'payout_reorged' and answered_at is null`, 'desc')
    .orderBy(sql`answered_at is null`, 'desc')
    .orderBy('sequence', 'desc')
    .execute()
  const found = new Map<string, OpenHold[]>()
  for (const row of rows) found.set(row.payout_id ?? '', [...(found.get(row.payout_id ?? '') ?? []), toOpenHold(row)])
  return found
}

/** The hold that operators see and answer first; null if the payout is not held. */
export async function readOpenHold(queries: Queries, payoutId: string): Promise<OpenHold | null> {
  return (await readOpenHolds(queries, [payoutId])).get(payoutId)?.[0] ?? null
}

/** Why these payouts wait or were given up: the open hold, or the last one of an abandoned payout. */
export async function readShownHolds(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, OpenHold>> {
  const ids = payouts.filter(({ state }) => state !== 'confirmed').map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const rows = await queries
    .selectFrom('hold')
    .innerJoin('payout', 'payout.id', 'hold.payout_id')
    .selectAll('hold')
    .distinctOn('hold.payout_id')
    .where('hold.payout_id', 'in', ids)
    .where((eb) => eb.or([eb('hold.closed_at', 'is', null), eb('payout.state', '=', 'abandoned')]))
    .where(sql<boolean>`(answered_at is null or payout.held_by is not null or payout.state = 'abandoned')`)
    .orderBy('hold.payout_id')
    .orderBy(sql`code = 'payout_reorged' and closed_at is null and answered_at is null`, 'desc')
    .orderBy(sql`answered_at is null`, 'desc')
    .orderBy('hold.sequence', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.payout_id ?? '', toOpenHold(row)]))
}

/**
 * An open hold of this payout, locked until the end of the transaction. Null if it is closed or belongs to another
 * payout.
 */
export async function lockOpenHold(queries: Queries, payoutId: string, holdId: string): Promise<OpenHold | null> {
  const row = await queries
    .selectFrom('hold')
    .selectAll()
    .where('id', '=', holdId)
    .where('payout_id', '=', payoutId)
    .where('closed_at', 'is', null)
    .where(isShown)
    .forUpdate()
    .executeTakeFirst()
  return row ? toOpenHold(row) : null
}

export function toOpenHold<Kind extends Hold = PayoutHold>(row: Selectable<Schema['hold']>): OpenHold<Kind> {
  // The cast is safe: a check constraint lists the codes, and `holdParams` wrote the parameters.
  const hold = { code: row.code, ...row.params } as unknown as Kind
  return { id: row.id, hold, detail: row.detail, openedAt: row.opened_at, isAnswered: row.answered_at !== null }
}

export type HeldPayout = PayoutRow & { hold: OpenHold | null }

/** Held payouts, the longest waiting first, each with the hold that operators see. */
export async function listHeld(queries: Queries, limit: number): Promise<HeldPayout[]> {
  const rows = await queries
    .selectFrom('payout')
    .selectAll()
    .where('state', '=', 'open')
    .where('held_since', 'is not', null)
    .orderBy('held_since')
    .limit(limit)
    .execute()
  const holds = await readOpenHolds(
    queries,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, hold: holds.get(row.id)?.[0] ?? null }))
}

/** Other payouts of the same wallet and token that are not started and are held for the same reason. */
export async function waitingAlike(
  queries: Queries,
  payout: PayoutRow,
  hold: PayoutHold,
  limit: number,
): Promise<string[]> {
  const rows = await queries
    .selectFrom('payout')
    .innerJoin('hold', 'hold.payout_id', 'payout.id')
    .select('payout.id')
    .where('payout.network', '=', payout.network)
    .where('payout.account', '=', payout.account)
    .where('payout.token', '=', payout.token)
    .where('payout.state', '=', 'open')
    .where('payout.started', '=', false)
    .where('hold.closed_at', 'is', null)
    .where('hold.code', '=', hold.code)
    .where(sql<boolean>`hold.params = ${JSON.stringify(holdParams(hold))}::jsonb`)
    .where('payout.id', '!=', payout.id)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export interface NewDecision {
  by: string
  /** The dual-control request that a second operator confirmed. */
  requestId?: string | undefined
  at: Date
}

interface Decision extends NewDecision {
  on: { holdId: string } | { slotId: bigint; attempts: number }
  answer: Answer
  params?: Record<string, unknown>
}

/** When the hold counts as answered after this decision: the last one decides. Other decisions leave that unchanged. */
const ANSWERED: Partial<Record<Answer, boolean>> = { approve: true, pay_again: true, was_paid: false }

export async function insertDecision(queries: Queries, decision: Decision): Promise<void> {
  const { on, answer, params = {}, by, requestId = null, at } = decision
  const subject = 'holdId' in on ? { hold_id: on.holdId } : { slot_id: on.slotId, attempts: on.attempts }
  await queries
    .insertInto('decision')
    .values({ ...subject, answer, params: JSON.stringify(params), by, request_id: requestId, at })
    .execute()
  const isAnswered = ANSWERED[answer]
  if (isAnswered === undefined || !('holdId' in on)) return
  await queries
    .updateTable('hold')
    .set({ answered_at: isAnswered ? at : null })
    .where('id', '=', on.holdId)
    .execute()
}

/** The holds of these payouts that an operator approved and whose objections still apply. */
export async function readApproved(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, OpenHold[]>> {
  if (payouts.length === 0) return new Map()
  const rows = await queries
    .selectFrom('hold')
    .selectAll()
    .where(
      'payout_id',
      'in',
      payouts.map(({ id }) => id),
    )
    .where('closed_at', 'is', null)
    .where('answered_at', 'is not', null)
    .execute()
  const byPayout = Map.groupBy(rows, ({ payout_id }) => payout_id ?? '')
  return new Map([...byPayout].map(([id, all]) => [id, all.map((row) => toOpenHold(row))]))
}

export async function isApproved(queries: Queries, holdId: string): Promise<boolean> {
  const row = await queries.selectFrom('hold').select('answered_at').where('id', '=', holdId).executeTakeFirst()
  return row?.answered_at != null
}
