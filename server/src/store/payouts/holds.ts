/** Holds of payouts: opening one, finding those that are open, and what operators answered to them. */
import { HOLD_CODES, type Hold, holdClass, holdParams, type PayoutHold } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { Answer, HeldBy } from '../db/schema-holds.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

export interface OpenHold<Kind extends Hold = PayoutHold> {
  id: string
  hold: Kind
  /** The text of the error behind it, for people. */
  detail: string | null
  openedAt: Date
}

/** Which class of hold the payout's row shows. */
function heldBy(hold: PayoutHold): HeldBy {
  if (hold.code === 'payout_reorged') return 'undone'
  return holdClass(hold).isRetried ? 'trouble' : 'rule'
}

/**
 * Holds a payout for this reason, and no longer for another. The same hold stays open under its id. A reorged payout waits for its
 * own answer, whatever else holds it: that hold stays open too. Returns since when, without a break, a hold of this class is open:
 * the give-up clock runs on if only the kind of trouble changes.
 */
export async function holdPayout(
  queries: Queries,
  id: string,
  {
    hold,
    detail = null,
    now,
    recheckAt = null,
  }: { hold: PayoutHold; detail?: string | null; now: Date; recheckAt?: Date | null },
): Promise<Date> {
  const { code } = hold
  const params = sql`${JSON.stringify(holdParams(hold))}::jsonb`
  const by = heldBy(hold)
  const { rows } = await sql<{ held_since: Date }>`
    with closed as (
      update hold set closed_at = ${now}::timestamptz
      where payout_id = ${id} and closed_at is null and code <> 'payout_reorged' and (code <> ${code} or params <> ${params})
    ), opened as (
      insert into hold (payout_id, code, params, detail, needs_person, opened_at, recheck_at)
      values (${id}, ${code}, ${params}, ${detail}, ${holdClass(hold).needsPerson}, ${now}, ${recheckAt})
      on conflict (payout_id, code, md5(params::text)) where closed_at is null and payout_id is not null
      do update set detail = excluded.detail, recheck_at = excluded.recheck_at
    )
    update payout set held_by = ${by}, look_again_at = null,
      held_since = case when held_by = ${by} then coalesce(held_since, ${now}) else ${now} end
    where id = ${id} returning held_since`.execute(queries)
  return rows[0]?.held_since ?? now
}

const OUTLASTING = HOLD_CODES.filter((code) => holdClass({ code }).outlastsTrouble)

/**
 * If a check or a person holds this payout, which has no slot: keeps that hold open under its id, to be rechecked then, and
 * returns true. A node that is down must neither hide the question that people were asked nor start the give-up clock.
 */
export async function keepHold(queries: Queries, payoutId: string, recheckAt: Date): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update hold set recheck_at = ${recheckAt} from payout
    where hold.payout_id = ${payoutId} and hold.closed_at is null and hold.code = any(${OUTLASTING})
      and payout.id = hold.payout_id and payout.state = 'open' and not payout.started and payout.held_by in ('rule', 'undone')
    returning hold.id`.execute(queries)
  return rows.length > 0
}

/** Every check before a slot passes: what those checks found earlier no longer holds the payout. */
export async function closePassedHolds(queries: Queries, payoutId: string, now: Date): Promise<void> {
  const passed = OUTLASTING.filter((code) => code !== 'payout_reorged')
  await sql`with closed as (
    update hold set closed_at = ${now} where payout_id = ${payoutId} and closed_at is null and code = any(${passed})
    returning id
  ) update payout set held_by = null, held_since = null
    where id = ${payoutId} and held_by = 'rule' and exists (select from closed)`.execute(queries)
}

/** The open holds of these payouts, by payout. Mostly there is one. A reorg comes first: it is answered before anything else. */
async function readOpenHolds(queries: Queries, payoutIds: readonly string[]): Promise<Map<string, OpenHold[]>> {
  if (payoutIds.length === 0) return new Map()
  const rows = await queries
    .selectFrom('hold')
    .selectAll()
    .where('payout_id', 'in', payoutIds)
    .where('closed_at', 'is', null)
    .orderBy(sql`code = 'payout_reorged'`, 'desc')
    .orderBy('sequence', 'desc')
    .execute()
  const found = new Map<string, OpenHold[]>()
  for (const row of rows) found.set(row.payout_id ?? '', [...(found.get(row.payout_id ?? '') ?? []), toOpenHold(row)])
  return found
}

/** The hold that people are shown, and answer first; null if nothing holds it. */
export async function readOpenHold(queries: Queries, payoutId: string): Promise<OpenHold | null> {
  return (await readOpenHolds(queries, [payoutId])).get(payoutId)?.[0] ?? null
}

/** Why these payouts wait, or why they were given up: the open hold, or the last one of a payout that was abandoned. By payout. */
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
    .orderBy('hold.payout_id')
    .orderBy(sql`code = 'payout_reorged' and closed_at is null`, 'desc')
    .orderBy('hold.sequence', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.payout_id ?? '', toOpenHold(row)]))
}

/** An open hold of this payout. It stays open until the end of the transaction; null if it is closed, or another payout's. */
export async function lockOpenHold(queries: Queries, payoutId: string, holdId: string): Promise<OpenHold | null> {
  const row = await queries
    .selectFrom('hold')
    .selectAll()
    .where('id', '=', holdId)
    .where('payout_id', '=', payoutId)
    .where('closed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return row ? toOpenHold(row) : null
}

export function toOpenHold<Kind extends Hold = PayoutHold>(row: Selectable<Schema['hold']>): OpenHold<Kind> {
  // The check constraint lists the codes, and `holdParams` of a typed hold wrote the parameters.
  const hold = { code: row.code, ...row.params } as unknown as Kind
  return { id: row.id, hold, detail: row.detail, openedAt: row.opened_at }
}

export type HeldPayout = PayoutRow & { hold: OpenHold | null }

/** Open payouts that wait, the longest first, each with the hold that people are shown. */
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

/** Others of the same wallet and token that are not begun and wait for the same reason. */
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

interface Decision {
  on: { holdId: string } | { slotId: bigint; attempts: number }
  answer: Answer
  params?: Record<string, unknown>
  by: string
  /** The dual control request that a second person confirmed. */
  requestId?: string | undefined
  at: Date
}

export async function insertDecision(queries: Queries, decision: Decision): Promise<void> {
  const { on, answer, params = {}, by, requestId = null, at } = decision
  const subject = 'holdId' in on ? { hold_id: on.holdId } : { slot_id: on.slotId, attempts: on.attempts }
  await queries
    .insertInto('decision')
    .values({ ...subject, answer, params: JSON.stringify(params), by, request_id: requestId, at })
    .execute()
}

/** The holds of these payouts that a person approved, whether they are still open or not, by payout. */
export async function readApproved(queries: Queries, payoutIds: readonly string[]): Promise<Map<string, PayoutHold[]>> {
  const found = new Map<string, PayoutHold[]>()
  if (payoutIds.length === 0) return found
  const rows = await queries
    .selectFrom('hold')
    .innerJoin('decision', 'decision.hold_id', 'hold.id')
    .selectAll('hold')
    .where('hold.payout_id', 'in', payoutIds)
    .where('decision.answer', '=', 'approve')
    .execute()
  for (const row of rows)
    found.set(row.payout_id ?? '', [...(found.get(row.payout_id ?? '') ?? []), toOpenHold(row).hold])
  return found
}

export async function isApproved(queries: Queries, holdId: string): Promise<boolean> {
  const rows = await queries
    .selectFrom('decision')
    .select('id')
    .where('hold_id', '=', holdId)
    .where('answer', '=', 'approve')
    .execute()
  return rows.length > 0
}
