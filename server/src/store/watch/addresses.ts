/** Deposit addresses: one per purpose of an app, or one per swap. They are watched forever, in every branch. */
import type { Address } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export async function findDepositAddress(queries: Queries, purpose: string): Promise<Address | null> {
  const row = await queries
    .selectFrom('deposit_address')
    .select('address')
    .where('purpose', '=', purpose)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.address ?? null
}

export interface DerivationPlace {
  network: string
  /** The treasury whose keys or factory the address is derived from. */
  account: string
  branch: number
}

/** The highest stored index; 0 if there is none. */
export async function lastAddressIndex(
  queries: Queries,
  { network, account, branch }: DerivationPlace,
): Promise<number> {
  const { last } = await queries
    .selectFrom('deposit_address')
    .select((eb) => eb.fn.max('index').as('last'))
    .where('network', '=', network)
    .where('account', '=', account)
    .where('branch', '=', branch)
    .executeTakeFirstOrThrow()
  return last ?? 0
}

export interface NewAddress extends DerivationPlace {
  index: number
  address: Address
  purpose: string
  /** The group of the client that it is given to. */
  clientGroup?: number | null
}

/** Stores a deposit address. False if the branch's index is already stored. */
export async function insertDepositAddress(
  queries: Queries,
  { clientGroup = null, ...entry }: NewAddress,
): Promise<boolean> {
  const ordinal = (await lastOrdinal(queries, entry.network)) + 1
  const row = await queries
    .insertInto('deposit_address')
    .values({ ...entry, ordinal, client_group: clientGroup })
    .onConflict((conflict) => conflict.columns(['network', 'account', 'branch', 'index']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

async function lastOrdinal(queries: Queries, network: string): Promise<number> {
  const { last } = await queries
    .selectFrom('deposit_address')
    .select((eb) => eb.fn.max('ordinal').as('last'))
    .where('network', '=', network)
    .executeTakeFirstOrThrow()
  return last ?? 0
}

/** The wallet that a deposit address is swept into; null if it is no deposit address. */
export async function walletOf(queries: Queries, network: string, address: Address): Promise<Address | null> {
  const row = await queries
    .selectFrom('deposit_address')
    .select('account')
    .where('network', '=', network)
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.account ?? null
}

/** Which of these addresses are our deposit addresses. */
export async function ownedAddresses(
  queries: Queries,
  network: string,
  addresses: readonly Address[],
): Promise<Address[]> {
  if (addresses.length === 0) return []
  const rows = await queries
    .selectFrom('deposit_address')
    .select('address')
    .where('network', '=', network)
    .where(sql<boolean>`address = any(${[...addresses]}::text[])`)
    .execute()
  return rows.map(({ address }) => address)
}

/** Which of these addresses are ours: deposit addresses, and wallets that the network has or had. */
export async function ourAddresses(
  queries: Queries,
  network: string,
  addresses: readonly Address[],
): Promise<Address[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<{ address: Address }>`
    select address from deposit_address where network = ${network} and address = any(${[...addresses]}::text[])
    union select address from treasury where network = ${network} and address = any(${[...addresses]}::text[])
  `.execute(queries)
  return rows.map(({ address }) => address)
}

/** All deposit addresses of a network; null if there are more than `most`. */
export async function allAddresses(queries: Queries, network: string, most: number): Promise<Address[] | null> {
  const rows = await queries
    .selectFrom('deposit_address')
    .select('address')
    .where('network', '=', network)
    .limit(most + 1)
    .execute()
  return rows.length > most ? null : rows.map(({ address }) => address)
}

/** How long the address of a closed swap is watched like that of an open one. */
const EXPECTED_MS = 30 * 24 * 3_600_000
/** Of closed swaps and of recent addresses, this many are kept, the newest first. */
const MOST_EXPECTED = 4_000
/** Clients are put into this many groups by a hash. Of each group the newest few closed swaps are kept, too. */
export const CLIENT_GROUPS = 1_000
const MOST_OF_GROUP = 4
/**
 * Open swaps: far more than this many clients can open by their quotas. Beyond it each minute has another random selection, so that
 * no address is left out for long.
 */
const MOST_OPEN = 100_000

/** How long a new address is watched closely, whatever happens to its swap. */
const LATELY_MS = 2 * 24 * 3_600_000

/**
 * Addresses of open swaps, of recently closed ones, and all recent ones. Of closed swaps the newest are kept, and the newest of each group
 * of clients: one client's swaps, however many, displace those of its own group alone.
 */
export async function expectingAddresses(queries: Queries, network: string, now: Date): Promise<Address[]> {
  const since = new Date(now.getTime() - EXPECTED_MS)
  const { rows } = await sql<{ receiver: string }>`
    select distinct receiver from (
      (select receiver from swap where source_network = ${network} and uses_deposit_address and closed_at is null
        order by ${fairly(now)} limit ${MOST_OPEN})
      union all
      (select receiver from swap where source_network = ${network} and uses_deposit_address
        and closed_at > ${since} order by closed_at desc limit ${MOST_EXPECTED})
      union all
      (select newest.receiver from generate_series(0, ${CLIENT_GROUPS - 1}::integer) clients cross join lateral (
        select receiver from swap where source_network = ${network} and uses_deposit_address and client_group = clients
          and closed_at > ${since} order by closed_at desc limit ${MOST_OF_GROUP}) newest)
      union all
      (select address from deposit_address where network = ${network}
        and created_at > ${new Date(now.getTime() - LATELY_MS)} order by created_at desc limit ${MOST_EXPECTED})
    ) as expected`.execute(queries)
  return rows.map(({ receiver }) => receiver)
}

/** An order that strangers cannot influence and that changes every minute. */
function fairly(now: Date) {
  return sql`hashtextextended(receiver, ${Math.floor(now.getTime() / TURN_MS)})`
}

/** How many of the remaining addresses are checked per minute, in a cycle by creation time: as many as a cycle of a day needs. */
const [FEWEST_OTHERS, MOST_OTHERS] = [25, 400]
const TURN_MS = 60_000
const CYCLE_MS = 24 * 3_600_000
/** Of recent addresses, this many are kept, the newest first, and the newest few of each group of clients. */
const MOST_LATELY = 4_000
const MOST_LATELY_OF_GROUP = 6
/** Limit for open swaps: more than are paid at the same time. */
const MOST_WAITING = 10_000

/**
 * Deposit addresses that expect a payment now, a list per group of clients, the oldest first; and a few of the others. One client's swaps,
 * however many, displace the newest of no other group. Of open swaps above the limit each minute has another selection.
 */
export async function expectedAddresses(
  queries: Queries,
  network: string,
  now: Date,
): Promise<{ recent: Address[][]; others: Address[] }> {
  const since = new Date(now.getTime() - LATELY_MS)
  const { rows } = await sql<{ addresses: Address[] }>`
    select array_agg(address order by created_at) as addresses from (
      select address, min(client_group) as client_group, min(created_at) as created_at from (
        (select address, client_group, created_at from deposit_address where network = ${network} and created_at > ${since}
          order by created_at desc limit ${MOST_LATELY})
        union all
        (select newest.* from generate_series(0, ${CLIENT_GROUPS - 1}::integer) clients cross join lateral (
          select address, client_group, created_at from deposit_address where network = ${network} and client_group = clients
            and created_at > ${since} order by created_at desc limit ${MOST_LATELY_OF_GROUP}) newest)
        union all
        (select receiver, client_group, created_at from swap where source_network = ${network} and uses_deposit_address
          and status = 'user_transfer_pending' order by ${fairly(now)} limit ${MOST_WAITING})
      ) as expected group by address
    ) as each group by client_group`.execute(queries)
  return { recent: rows.map(({ addresses }) => addresses), others: await addressesInTurn(queries, network, now) }
}

/** A few deposit addresses whose turn it is, with or without an expected payment. */
export async function addressesInTurn(queries: Queries, network: string, now: Date): Promise<Address[]> {
  const last = await lastOrdinal(queries, network)
  const others = Math.min(MOST_OTHERS, Math.max(FEWEST_OTHERS, Math.ceil((last + 1) / (CYCLE_MS / TURN_MS))))
  const turns = Math.floor(last / others) + 1
  const turn = Math.floor(now.getTime() / TURN_MS) % turns
  const rows = await queries
    .selectFrom('deposit_address')
    .select('address')
    .where('network', '=', network)
    .where('ordinal', '>=', turn * others)
    .where('ordinal', '<', (turn + 1) * others)
    .execute()
  return rows.map(({ address }) => address)
}
