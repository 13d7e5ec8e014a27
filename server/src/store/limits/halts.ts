/**
 * Halted wallets. A wallet is halted while one of its holds is open. Each hold is a cause, and an operator releases
 * exactly the causes that were shown.
 */
import { type Address, holdClass, holdParams, type WalletHold } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { wakeHeld } from '../payouts/held-payouts.ts'
import { type OpenHold, toOpenHold } from '../payouts/holds.ts'

export interface WalletPlace {
  network: string
  account: string
}

/** A halted wallet with its causes, the oldest first. */
export interface Halt extends WalletPlace {
  at: Date
  causes: OpenHold<WalletHold>[]
}

export async function listHalts(queries: Queries): Promise<Halt[]> {
  return haltsOf(await openWalletHolds(queries).execute())
}

/** The wallet's halt with its causes; null if the wallet is not halted. */
export async function readHalt(queries: Queries, place: WalletPlace): Promise<Halt | null> {
  const rows = await openWalletHolds(queries)
    .where('network', '=', place.network)
    .where('account', '=', place.account)
    .execute()
  return haltsOf(rows)[0] ?? null
}

function openWalletHolds(queries: Queries) {
  return queries
    .selectFrom('hold')
    .selectAll()
    .where('account', 'is not', null)
    .where('closed_at', 'is', null)
    .orderBy('sequence')
}

function haltsOf(rows: readonly Selectable<Schema['hold']>[]): Halt[] {
  const halts = new Map<string, Halt>()
  for (const row of rows) {
    const { network, account } = { network: row.network ?? '', account: row.account ?? '' }
    const halt = halts.get(`${network} ${account}`) ?? { network, account, at: row.opened_at, causes: [] }
    halt.causes.push(toOpenHold<WalletHold>(row))
    halts.set(`${network} ${account}`, halt)
  }
  return [...halts.values()]
}

/**
 * Adds a cause to a wallet's halt. False if the wallet is already halted for exactly that cause. A second halt by an
 * operator is a new cause.
 */
export async function haltWallet(
  queries: Queries,
  { network, account }: WalletPlace,
  hold: WalletHold,
  at: Date,
): Promise<boolean> {
  if (hold.code === 'operator')
    await openHoldsOf(queries, { network, account }, at).where('code', '=', 'operator').where(isSame(hold)).execute()
  const rows = await queries
    .insertInto('hold')
    .values({
      ...{ network, account, code: hold.code, params: JSON.stringify(holdParams(hold)) },
      ...{ needs_person: holdClass(hold).needsPerson, opened_at: at },
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return rows.length === 1
}

/** Closes open holds of a wallet that match the caller's conditions. */
function openHoldsOf(queries: Queries, { network, account }: WalletPlace, at: Date) {
  return queries
    .updateTable('hold')
    .set({ closed_at: at })
    .where('network', '=', network)
    .where('account', '=', account)
    .where('closed_at', 'is', null)
}

function isSame(hold: WalletHold) {
  return sql<boolean>`params = ${JSON.stringify(holdParams(hold))}::jsonb`
}

type ShortfallHold = Extract<WalletHold, { code: 'shortfall' | 'shortfall_cleared' }>

/**
 * Sets the only shortfall hold of this token. If the missing units change, a new hold is opened: an answer to the old
 * one does not cover it.
 */
export async function setShortfallHold(
  queries: Queries,
  { network, account }: WalletPlace,
  hold: ShortfallHold,
  at: Date,
): Promise<void> {
  await openHoldsOf(queries, { network, account }, at)
    .where('code', 'in', ['shortfall', 'shortfall_cleared'])
    .where(sql<boolean>`params->>'token' = ${hold.token}`)
    .where((eb) => eb.or([eb('code', '!=', hold.code), eb.not(isSame(hold))]))
    .execute()
  await haltWallet(queries, { network, account }, hold, at)
}

type DifferenceRow = Selectable<Schema['halt_difference']>
type DifferencePlace = Pick<DifferenceRow, 'network' | 'account' | 'token'>

/** The known shortfall of a token in a halted wallet. Locked until the end of the transaction. */
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

/**
 * Deletes the shortfall, because nothing was missing at that block. True if one was recorded at that block or before.
 */
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

/**
 * The causes of a halt, locked until the end of the transaction, so that none is closed meanwhile. A cause added later
 * stays open.
 */
export async function lockHalt(queries: Queries, place: WalletPlace): Promise<Halt | null> {
  const rows = await openWalletHolds(queries)
    .where('network', '=', place.network)
    .where('account', '=', place.account)
    .forUpdate()
    .execute()
  return haltsOf(rows)[0] ?? null
}

/**
 * Closes these causes and deletes their shortfalls, which are returned. The wallet signs again when no cause is left.
 */
export async function releaseWallet(
  queries: Queries,
  { network, account }: WalletPlace,
  holdIds: readonly string[],
  at: Date,
): Promise<{ token: string; units: bigint }[]> {
  const missing = await queries
    .deleteFrom('halt_difference')
    .where('network', '=', network)
    .where('account', '=', account)
    .returning(['token', 'units'])
    .execute()
  await openHoldsOf(queries, { network, account }, at).where('id', 'in', holdIds).execute()
  await wakeHeld(queries)
  return missing.toSorted((a, b) => (a.token < b.token ? -1 : 1))
}

/** Whether `place` names this wallet. */
export function isWallet(place: WalletPlace, network: string, account: Address): boolean {
  return place.network === network && place.account === account
}
