/** Switches, limits and halted wallets: what an operator has set, and what already went out under it. */
import type { Selectable } from 'kysely'
import type { Queries } from './database.ts'
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
}

export async function clearSwitch(queries: Queries, scope: string): Promise<boolean> {
  const rows = await queries.deleteFrom('switch').where('scope', '=', scope).returning('scope').execute()
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
}

export async function clearLimit(queries: Queries, kind: LimitKind, scope: string): Promise<boolean> {
  const rows = await queries
    .deleteFrom('safety_limit')
    .where('kind', '=', kind)
    .where('scope', '=', scope)
    .returning('scope')
    .execute()
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
  return rows.length === 1
}

/** What went out, or was begun, of each token since then. Sweeps stay in the house. */
export async function outflowSince(
  queries: Queries,
  since: Date,
  network?: string,
): Promise<{ network: string; token: string; units: bigint }[]> {
  let query = queries
    .selectFrom('payout')
    .select((eb) => ['network', 'token', eb.fn.sum<bigint>('units').as('units')])
    .where('kind', 'not in', ['sweep', 'relay', 'admin'])
    .where('state', '!=', 'abandoned')
    .where('started', '=', true)
    .where((eb) => eb(eb.fn.coalesce('sent_at', 'created_at'), '>', since))
    .groupBy(['network', 'token'])
  if (network !== undefined) query = query.where('network', '=', network)
  return query.execute()
}
