/** The wallets of each network. The record is append-only: former wallets stay watched. */
import type { Address } from '@causeway/core'
import { sql } from 'kysely'
import type { Database, Queries } from '../db/database.ts'

/**
 * Records a network's wallet. If another one is recorded and the change is not intended, returns the recorded one and
 * changes nothing. After a change, the jobs of payouts that were not started move them to the new wallet.
 */
export async function claimTreasury(
  database: Database,
  network: string,
  address: Address,
  isMeant: boolean,
): Promise<string | null> {
  return database.transaction().execute(async (queries) => {
    await lockTreasury(queries, network)
    const known = await knownTreasury(queries, network, address)
    if (known !== null && known !== address && !isMeant) return known
    if ((await presentTreasury(queries, network)) !== address)
      await queries.insertInto('treasury').values({ network, address }).execute()
    return null
  })
}

/** Moves payouts that were not started to this wallet, if it is the present one. */
export async function moveToPresent(database: Database, network: string, address: Address): Promise<void> {
  await database.transaction().execute(async (queries) => {
    await lockTreasury(queries, network)
    if ((await presentTreasury(queries, network)) === address) await moveUnstarted(queries, network, address)
  })
}

async function lockTreasury(queries: Queries, network: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`treasury ${network}`}))`.execute(queries)
}

/** The newest recorded wallet; null if none is recorded. */
export async function presentTreasury(queries: Queries, network: string): Promise<Address | null> {
  const row = await queries
    .selectFrom('treasury')
    .select('address')
    .where('network', '=', network)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.address ?? null
}

/** The wallet of a database that is older than this table: taken from the wallets that have signed. */
async function knownTreasury(queries: Queries, network: string, address: string): Promise<string | null> {
  const present = await presentTreasury(queries, network)
  if (present !== null) return present
  const signers = await queries.selectFrom('signing_account').select('account').where('network', '=', network).execute()
  return signers.some(({ account }) => account === address) ? address : (signers[0]?.account ?? null)
}

/**
 * Payout kinds that any wallet of the network can pay. Sweeps and relays depend on the contracts and keys of their
 * wallet.
 */
const MOVABLE = ['output', 'refuel', 'refund', 'return', 'reward', 'withdrawal', 'sale'] as const

/**
 * The new keys cannot sign for a former wallet. A payout without a slot was never signed, so it moves to the new
 * wallet. A sweep or a relay that was not started is abandoned: the coins stay where they are.
 */
async function moveUnstarted(queries: Queries, network: string, account: Address): Promise<void> {
  const unstarted = () =>
    queries
      .updateTable('payout')
      .where('network', '=', network)
      .where('account', '!=', account)
      .where('state', '=', 'open')
      .where('started', '=', false)
  // The wallet that sells also receives the proceeds.
  await unstarted().set({ account, to_address: account }).where('kind', '=', 'sale').execute()
  await unstarted().set({ account }).where('kind', 'in', MOVABLE).execute()
  const ended = await unstarted().set({ state: 'abandoned' }).where('kind', 'not in', MOVABLE).returning('id').execute()
  if (ended.length === 0) return
  const ids = ended.map(({ id }) => id)
  await queries.updateTable('deposit').set({ swept_by: null }).where('swept_by', 'in', ids).execute()
  await queries
    .updateTable('gasless_authorization')
    .set({ status: 'rejected', reason: 'the wallet was changed' })
    .where('status', '=', 'initiated')
    .where('payout_id', 'in', ids)
    .execute()
}

/** Wallets that the network had before the present one. */
export async function formerTreasuries(queries: Queries, network: string, present: Address): Promise<Address[]> {
  const rows = await queries
    .selectFrom('treasury')
    .select('address')
    .distinct()
    .where('network', '=', network)
    .where('address', '!=', present)
    .execute()
  return rows.map(({ address }) => address)
}

/** How many swaps wait for a deposit at a former wallet. */
export async function swapsAtFormer(queries: Queries, network: string, present: Address): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select count(*) as count from swap where source_network = ${network} and status = 'user_transfer_pending'
    and not uses_deposit_address and receiver <> ${present}`.execute(queries)
  return Number(rows[0]?.count ?? 0)
}

/** How many deposit addresses of a network hold coins, by the ledger. */
export async function addressesWithCoins(queries: Queries, network: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct owner)::integer as count from ledger_balance
    where account = 'wallet' and network = ${network} and units > 0
      and owner not in (select address from treasury where network = ${network})`.execute(queries)
  return rows[0]?.count ?? 0
}

/** Every wallet that has signed for a network or may do so, the present treasury first. */
export async function knownWallets(queries: Queries, network: string): Promise<string[]> {
  const treasuries = await queries
    .selectFrom('treasury')
    .select('address')
    .where('network', '=', network)
    .orderBy('id', 'desc')
    .execute()
  const signers = await queries.selectFrom('signing_account').select('account').where('network', '=', network).execute()
  return [...new Set([...treasuries.map(({ address }) => address), ...signers.map(({ account }) => account)])]
}
