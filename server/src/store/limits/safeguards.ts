/**
 * Switches, limits and halted wallets: what an operator has set, and what already went out under it. A change of any of them
 * wakes the payouts that rules hold.
 */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { LimitKind, Schema, Scope } from '../db/schema.ts'
import { wakeHeld } from '../payouts/held-payouts.ts'

export type SwitchRow = Selectable<Schema['switch']>
export type LimitRow = Selectable<Schema['safety_limit']>
export type HaltRow = Selectable<Schema['wallet_halt']>

export async function listSwitches(queries: Queries): Promise<SwitchRow[]> {
  return queries.selectFrom('switch').selectAll().orderBy('scope').execute()
}

/** What is paused already stays so: whoever may stop things must not start them by stopping less. Answers what is paused then. */
export async function setSwitch(queries: Queries, row: Omit<SwitchRow, 'at'>): Promise<SwitchRow> {
  const stored = await queries
    .insertInto('switch')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet((eb) => ({
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

export async function listHalts(queries: Queries): Promise<HaltRow[]> {
  return queries.selectFrom('wallet_halt').selectAll().execute()
}

export async function haltWallet(queries: Queries, network: string, account: string, reason: string): Promise<boolean> {
  const rows = await queries
    .insertInto('wallet_halt')
    .values({ network, account, reason })
    .onConflict((conflict) => conflict.doNothing())
    .returning('network')
    .execute()
  return rows.length === 1
}

export async function setHaltReason(queries: Queries, network: string, account: string, reason: string): Promise<void> {
  await queries
    .updateTable('wallet_halt')
    .set({ reason })
    .where('network', '=', network)
    .where('account', '=', account)
    .execute()
}

/**
 * Halts it, or puts this behind what it is halted for already, in one statement: whoever releases it meanwhile must not take a
 * reason along that they have not seen. Answers all that it is halted for.
 */
export async function addHaltReason(
  queries: Queries,
  network: string,
  account: string,
  reason: string,
): Promise<string> {
  const isThere = sql<boolean>`position(${`; ${reason}; `} in '; ' || wallet_halt.reason || '; ') > 0`
  const row = await queries
    .insertInto('wallet_halt')
    .values({ network, account, reason })
    .onConflict((conflict) =>
      conflict.columns(['network', 'account']).doUpdateSet({
        reason: sql<string>`wallet_halt.reason || case when ${isThere} then '' else ${`; ${reason}`} end`,
      }),
    )
    .returning('reason')
    .executeTakeFirstOrThrow()
  return row.reason
}

type DifferenceRow = Selectable<Schema['halt_difference']>
type DifferencePlace = Pick<DifferenceRow, 'network' | 'account' | 'token'>

/** What is missing of a token from a halted wallet, as far as is known; nobody else changes it until the end of the transaction. */
export async function lockHaltDifference(queries: Queries, place: DifferencePlace): Promise<DifferenceRow | null> {
  const row = await queries
    .selectFrom('halt_difference')
    .selectAll()
    .where('network', '=', place.network)
    .where('account', '=', place.account)
    .where('token', '=', place.token)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function setHaltDifference(
  queries: Queries,
  difference: DifferencePlace & { units: bigint; block_number?: bigint; at: Date },
): Promise<void> {
  const { network, account, token, ...found } = difference
  await queries
    .insertInto('halt_difference')
    .values(difference)
    .onConflict((conflict) => conflict.columns(['network', 'account', 'token']).doUpdateSet(found))
    .execute()
}

/** Nothing was missing at that block. True where something had been, at that block or before it. */
export async function dropHaltDifference(queries: Queries, place: DifferencePlace, block: bigint): Promise<boolean> {
  const rows = await queries
    .deleteFrom('halt_difference')
    .where('network', '=', place.network)
    .where('account', '=', place.account)
    .where('token', '=', place.token)
    .where((eb) => eb.or([eb('block_number', 'is', null), eb('block_number', '<=', block)]))
    .returning('token')
    .execute()
  return rows.length > 0
}

export async function listHaltDifferences(queries: Queries): Promise<DifferenceRow[]> {
  return queries.selectFrom('halt_difference').selectAll().orderBy('token').execute()
}

/** Lets a wallet sign again; answers what it was halted for and what was missing from it, or null where it is not halted. */
export async function releaseWallet(
  queries: Queries,
  network: string,
  account: string,
): Promise<{ reason: string; missing: { token: string; units: bigint }[] } | null> {
  const halt = await queries
    .selectFrom('wallet_halt')
    .select('reason')
    .where('network', '=', network)
    .where('account', '=', account)
    .forUpdate()
    .executeTakeFirst()
  if (!halt) return null
  const missing = await queries
    .selectFrom('halt_difference')
    .select(['token', 'units'])
    .where('network', '=', network)
    .where('account', '=', account)
    .orderBy('token')
    .execute()
  await queries.deleteFrom('wallet_halt').where('network', '=', network).where('account', '=', account).execute()
  await wakeHeld(queries)
  return { reason: halt.reason, missing }
}

/**
 * What of each token stands in slots that may still land, whenever they were handed out, and in those handed out since then.
 * Sweeps stay in the house.
 */
export async function outflowSince(
  queries: Queries,
  since: Date,
  network?: string,
): Promise<{ network: string; token: string; units: bigint }[]> {
  const within = (table: string) =>
    network === undefined ? sql`` : sql`and ${sql.ref(`${table}.network`)} = ${network}`
  // A slot and what was put into it have the same time: each payout is found by one of the two.
  const { rows } = await sql<{ network: string; token: string; units: bigint }>`
    select network, token, sum(units) as units from (
      select network, token, units, kind from payout where started and started_at > ${since} ${within('payout')}
      union all
      select payout.network, payout.token, payout.units, payout.kind
      from slot join slot_payout on slot_payout.slot_id = slot.id and slot_payout.live
        join payout on payout.id = slot_payout.payout_id
      where slot.state = 'open' and slot.created_at <= ${since} ${within('slot')}
    ) outflow where kind not in ('sweep', 'relay', 'admin') group by network, token`.execute(queries)
  return rows
}

/**
 * Whether somebody must be told that a network's outflow limit is reached: not while it holds another payout already, and once
 * an hour at most where it is reached again and again. Of those who ask at once one is told yes.
 */
export async function tellOfOutflow(
  queries: Queries,
  { id, network }: { id: string; network: string },
  reason: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    insert into outflow_alert as told (network, at) select ${network}, ${now}
    where not exists (
      select 1 from payout where state = 'open' and held_by = 'rule' and network = ${network}
        and held_reason = ${reason} and id <> ${id})
    on conflict (network) do update set at = excluded.at where told.at <= excluded.at - interval '1 hour'
    returning network`.execute(queries)
  return rows.length === 1
}

/**
 * What has come for swaps and is not paid yet, by token: what waits for its confirmations or its price, and open outputs. What
 * waits in a mempool costs its sender nothing and holds no price; nor does what is more than was asked for.
 */
export async function unpaidDeposits(queries: Queries): Promise<{ network: string; token: string; units: bigint }[]> {
  // Three reads of three indexes; of each only what is under way.
  const { rows } = await sql<{ network: string; token: string; units: bigint }>`
    select network, token, sum(units)::numeric(78, 0) as units from (
      select deposit.network, deposit.token, least(units, requested_units) as units from deposit join swap on swap.id = swap_id
        where not final and state = 'seen' and swap_id is not null and block_number is not null
      union all
      select deposit.network, deposit.token, units - output_units - refund_units from deposit
        join swap on swap.id = swap_id and status in ('user_transfer_pending', 'expired')
        where state = 'confirmed' and output_units + refund_units < units
      union all
      select deposit.network, deposit.token, deposit.output_units from payout
        join deposit on deposit.swap_id = payout.swap_id and deposit.output_units > 0
        where payout.state = 'open' and payout.kind = 'output'
    ) unpaid group by network, token`.execute(queries)
  return rows
}
