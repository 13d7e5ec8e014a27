/** The quota of open deposit addresses per client. Payment or expiry gives a place back. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** Locks the count of this client: another transaction waits for the end of this one. */
export async function lockClient(queries: Queries, client: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(20281, hashtext(${client}))`.execute(queries)
}

/** How many a client has open, or all clients of a network. */
export async function countOpenAddresses(
  queries: Queries,
  whose: { client: string } | { network: string },
  now: Date,
): Promise<number> {
  const { count } = await queries
    .selectFrom('open_address')
    .innerJoin('swap', 'swap.id', 'open_address.swap_id')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where(
      'client' in whose
        ? sql<boolean>`client = ${whose.client}`
        : sql<boolean>`within <> '{}' and within @> ${[whose.network]}::text[]`,
    )
    .where('until', '>', now)
    .where('status', '=', 'user_transfer_pending')
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function recordOpenAddress(
  queries: Queries,
  entry: { swap_id: string; client: string; until: Date; within: string[] },
): Promise<void> {
  await queries.insertInto('open_address').values(entry).execute()
}

export async function forgetOpenAddresses(queries: Queries, before: Date): Promise<void> {
  await queries.deleteFrom('open_address').where('until', '<', before).execute()
}
