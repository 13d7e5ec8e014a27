/** Deposit addresses: one for a purpose of an app, or for one swap; watched for ever. */
import type { Address } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from './database.ts'

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

/** The next number to derive with. Held until the end of the transaction, so that no two swaps derive the same address. */
export async function nextAddressIndex(queries: Queries, network: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(20263, hashtext(${network}))`.execute(queries)
  return (await lastAddressIndex(queries, network)) + 1
}

export async function lastAddressIndex(queries: Queries, network: string): Promise<number> {
  const { last } = await queries
    .selectFrom('deposit_address')
    .select((eb) => eb.fn.max('index').as('last'))
    .where('network', '=', network)
    .executeTakeFirstOrThrow()
  return last ?? 0
}

export async function insertDepositAddress(
  queries: Queries,
  entry: { network: string; index: number; address: Address; purpose: string },
): Promise<void> {
  await queries.insertInto('deposit_address').values(entry).execute()
}

/** Which of these are deposit addresses of ours. */
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
