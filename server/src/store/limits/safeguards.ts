/**
 * Kill switches and risk limits: the operators' settings, and the outflow so far. Changing one requeues the payouts
 * that rules hold.
 */
import { TOP_UP_SHARE } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { LimitKind, Schema, Scope, SwitchCode } from '../db/schema.ts'
import { wakeHeld } from '../payouts/held-payouts.ts'

export type SwitchRow = Selectable<Schema['switch']>
export type LimitRow = Selectable<Schema['safety_limit']>

export async function listSwitches(queries: Queries): Promise<SwitchRow[]> {
  return queries.selectFrom('switch').selectAll().orderBy('scope').execute()
}

/**
 * Pauses more, and never resumes anything: an operator who may only pause must not resume by pausing less. Returns the
 * resulting switch.
 */
export async function setSwitch(
  queries: Queries,
  { code = 'operator', ...row }: Omit<SwitchRow, 'at' | 'code'> & { code?: SwitchCode },
): Promise<SwitchRow> {
  const stored = await queries
    .insertInto('switch')
    .values({ ...row, code })
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet((eb) => ({
        code,
        reason: row.reason,
        stops_swaps: eb.or([eb.ref('switch.stops_swaps'), eb.val(row.stops_swaps)]).$castTo<boolean>(),
        stops_payouts: eb.or([eb.ref('switch.stops_payouts'), eb.val(row.stops_payouts)]).$castTo<boolean>(),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
  await wakeHeld(queries)
  return stored
}

export async function clearSwitch(queries: Queries, scope: Scope): Promise<boolean> {
  const rows = await queries.deleteFrom('switch').where('scope', '=', scope).returning('scope').execute()
  if (rows.length === 1) await wakeHeld(queries)
  return rows.length === 1
}

export async function listLimits(queries: Queries): Promise<LimitRow[]> {
  return queries.selectFrom('safety_limit').selectAll().orderBy('kind').orderBy('scope').execute()
}

export async function setLimit(queries: Queries, kind: LimitKind, scope: Scope, usd: bigint): Promise<void> {
  await queries
    .insertInto('safety_limit')
    .values({ kind, scope, usd })
    .onConflict((conflict) => conflict.columns(['kind', 'scope']).doUpdateSet({ usd }))
    .execute()
  await wakeHeld(queries)
}

export async function clearLimit(queries: Queries, kind: LimitKind, scope: Scope): Promise<boolean> {
  const rows = await queries
    .deleteFrom('safety_limit')
    .where('kind', '=', kind)
    .where('scope', '=', scope)
    .returning('scope')
    .execute()
  if (rows.length === 1) await wakeHeld(queries)
  return rows.length === 1
}

export interface Outflow {
  network: string
  token: string
  /** Whether the money went back to its sender (a refund or return). */
  isReturn: boolean
  usd: bigint
}

/**
 * Outflow per token, at the value when each slot was allocated. Counts slots of the last hours, by the database's
 * clock, and older ones that may still be mined. Sweeps and calls move no money out of the service.
 */
export async function outflowWithin(queries: Queries, hours: number): Promise<Outflow[]> {
  const since = sql`now() - make_interval(hours => ${hours}::integer)`
  // A slot and its payouts have the same time, so each payout is counted by exactly one of the two subqueries.
  const { rows } = await sql<Outflow>`
    select network, token, kind in ('refund', 'return') as "isReturn", coalesce(sum(usd), 0)::numeric(78, 0) as usd from (
      select network, token, usd, kind from payout where started and started_at > ${since}
      union all
      select payout.network, payout.token, payout.usd, payout.kind
      from slot join slot_payout on slot_payout.slot_id = slot.id and slot_payout.live
        join payout on payout.id = slot_payout.payout_id
      where slot.state = 'open' and slot.created_at <= ${since}
    ) outflow where kind not in ('sweep', 'relay', 'admin') group by 1, 2, 3`.execute(queries)
  return rows
}

/**
 * Locks these budgets until the end of the transaction, so that only one allocation at a time checks and uses a limit.
 */
export async function lockBudgets(queries: Queries, names: readonly string[]): Promise<void> {
  const sorted = [...new Set(names)].toSorted()
  await sql`select pg_advisory_xact_lock(20263, hashtext(name)) from unnest(${sorted}::text[]) name`.execute(queries)
}

/**
 * Whether to alert that a network's outflow limit is reached: not while the limit already holds another payout, and at
 * most once an hour. Of concurrent callers, only one gets true.
 */
export async function tellOfOutflow(
  queries: Queries,
  { id, network }: { id: string; network: string },
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    insert into outflow_alert as told (network, at) select ${network}, ${now}
    where not exists (
      select 1 from hold join payout on payout.id = hold.payout_id
      where hold.closed_at is null and hold.code = 'outflow_limit' and payout.state = 'open'
        and payout.network = ${network} and payout.id <> ${id})
    on conflict (network) do update set at = excluded.at where told.at <= excluded.at - interval '1 hour'
    returning network`.execute(queries)
  return rows.length === 1
}

/**
 * Deposits for swaps that are not paid out yet, per token: those that wait for confirmations or a price, and open
 * outputs. Mempool deposits and excess amounts are not counted: they cost the sender nothing and fix no price. Nor are
 * parts that wait for the rest until the window ends: no one is paid for them yet, and a few could close a route for hours.
 */
export async function unpaidDeposits(queries: Queries): Promise<{ network: string; token: string; units: bigint }[]> {
  // Three subqueries, each with its own index, which read only open work.
  const { rows } = await sql<{ network: string; token: string; units: bigint }>`
    select network, token, sum(units)::numeric(78, 0) as units from (
      select deposit.network, deposit.token, least(units, requested_units) as units from deposit
        join swap on swap.id = swap_id
        where not final and state = 'seen' and swap_id is not null and block_number is not null
      union all
      select deposit.network, deposit.token, units - output_units - refund_units from deposit
        join swap on swap.id = swap_id and status in ('user_transfer_pending', 'expired')
        where state = 'confirmed' and output_units + refund_units < units and (requested_units is null or 100 * (
          select sum(part.units) from deposit part where part.swap_id = swap.id and part.state = 'confirmed'
        ) >= requested_units * ${TOP_UP_SHARE})
      union all
      select deposit.network, deposit.token, deposit.output_units from payout
        join deposit on deposit.swap_id = payout.swap_id and deposit.output_units > 0
        where payout.state = 'open' and payout.kind = 'output'
    ) unpaid group by network, token`.execute(queries)
  return rows
}

/** Requested units of swaps without a deposit whose quote still holds, per token. */
export async function openQuotes(
  queries: Queries,
  now: Date,
): Promise<{ network: string; token: string; units: bigint }[]> {
  const { rows } = await sql<{ network: string; token: string; units: bigint }>`
    select source_network as network, source_token as token, sum(requested_units)::numeric(78, 0) as units from swap
    where status = 'user_transfer_pending' and quote_expires_at > ${now} and requested_units is not null
      and not exists (select 1 from deposit where deposit.swap_id = swap.id)
    group by source_network, source_token`.execute(queries)
  return rows
}

/** How many of the newest swaps the chance of use is measured by. */
const MEASURED = 500

/** The share of quotes that were used, in basis points, among the newest swaps whose quote has ended. */
export async function quoteUseBps(queries: Queries, now: Date): Promise<bigint> {
  const { rows } = await sql<{ used: bigint; ended: bigint }>`
    select count(*) filter (where status not in ('user_transfer_pending', 'expired')) as used, count(*) as ended
    from (select status, quote_expires_at from swap order by ordinal desc limit ${MEASURED}) newest
    where quote_expires_at <= ${now} or status <> 'user_transfer_pending'`.execute(queries)
  const { used = 0n, ended = 0n } = rows[0] ?? {}
  return ended === 0n ? 0n : (BigInt(used) * 10_000n) / BigInt(ended)
}
