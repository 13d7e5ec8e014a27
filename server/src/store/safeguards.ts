/**
 * Switches, limits and halted wallets: what an operator has set, and what already went out under it. A change of any of them
 * wakes the payouts that rules hold.
 */
import type { Selectable } from 'kysely'
import type { Queries } from './database.ts'
import { wakeHeld } from './held.ts'
import type { Schema } from './schema.ts'

export type SwitchRow = Selectable<Schema['switch']>
export type LimitRow = Selectable<Schema['safety_limit']>
export type HaltRow = Selectable<Schema['wallet_halt']>
export type LimitKind = 'swap_max' | 'hourly_outflow' | 'daily_outflow' | 'wallet_ceiling' | 'approval_above'

export async function listSwitches(queries: Queries): Promise<SwitchRow[]> {
  return queries.selectFrom('switch').selectAll().orderBy('scope').execute()
}

export async function setSwitch(queries: Queries, row: Omit<SwitchRow, 'at'>): Promise<void> {
  const { scope, ...values } = row
  await queries
    .insertInto('switch')
    .values(row)
    .onConflict((conflict) => conflict.column('scope').doUpdateSet(values))
    .execute()
  await wakeHeld(queries)
}

export async function clearSwitch(queries: Queries, scope: string): Promise<boolean> {
  const rows = await queries.deleteFrom('switch').where('scope', '=', scope).returning('scope').execute()
  if (rows.length === 1) await wakeHeld(queries)
  return rows.length === 1
}

export async function listLimits(queries: Queries): Promise<LimitRow[]> {
  return queries.selectFrom('safety_limit').selectAll().orderBy('kind').orderBy('scope').execute()
}

export async function setLimit(queries: Queries, kind: LimitKind, scope: string, usd: bigint): Promise<void> {
  await queries
    .insertInto('safety_limit')
    .values({ kind, scope, usd })
    .onConflict((conflict) => conflict.columns(['kind', 'scope']).doUpdateSet({ usd }))
    .execute()
  await wakeHeld(queries)
}

export async function clearLimit(queries: Queries, kind: LimitKind, scope: string): Promise<boolean> {
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

export async function releaseWallet(queries: Queries, network: string, account: string): Promise<boolean> {
  const rows = await queries
    .deleteFrom('wallet_halt')
    .where('network', '=', network)
    .where('account', '=', account)
    .returning('network')
    .execute()
  if (rows.length === 1) await wakeHeld(queries)
  return rows.length === 1
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
  let query = queries
    .selectFrom('slot')
    .innerJoin('slot_payout', 'slot_payout.slot_id', 'slot.id')
    .innerJoin('payout', 'payout.id', 'slot_payout.payout_id')
    .select((eb) => ['payout.network', 'payout.token', eb.fn.sum<bigint>('payout.units').as('units')])
    .where('slot_payout.live', '=', true)
    .where('payout.kind', 'not in', ['sweep', 'relay', 'admin'])
    .where((eb) => eb.or([eb('slot.state', '=', 'open'), eb('slot.created_at', '>', since)]))
    .groupBy(['payout.network', 'payout.token'])
  if (network !== undefined) query = query.where('slot.network', '=', network)
  return query.execute()
}
