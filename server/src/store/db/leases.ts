/** Leases: one holder at a time, taken over when it stops renewing. Only the database's clock decides. */
import { Bug } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from './database.ts'

/**
 * Takes or renews a lease. Returns its fencing token (a number that rises with each takeover), or null while another
 * process holds the lease.
 */
export async function takeLease(queries: Queries, name: string, holder: string, ttlMs: number): Promise<bigint | null> {
  const { rows } = await sql<{ fence: bigint }>`
    insert into lease (name, holder, fence, expires_at)
    values (${name}, ${holder}, 1, now() + ${ttlMs} * interval '1 millisecond')
    on conflict (name) do update set
      holder = excluded.holder, expires_at = excluded.expires_at,
      fence = lease.fence + case when lease.holder = excluded.holder then 0 else 1 end
    where lease.holder = excluded.holder or lease.expires_at < now()
    returning fence`.execute(queries)
  return rows[0]?.fence ?? null
}

export async function dropLease(queries: Queries, name: string, holder: string): Promise<void> {
  await queries
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute()
}

/**
 * Whether the caller still holds the lease; if so, the lease is locked for the rest of the transaction. An expired
 * lease is not held, even if it is free: its holder was paused after it asked a node, and that answer may be outdated.
 */
export async function holdsLease(queries: Queries, name: string, holder: string, fence: bigint): Promise<boolean> {
  const lease = await queries
    .selectFrom('lease')
    .select(['holder', 'fence'])
    .where('name', '=', name)
    .where('expires_at', '>', sql<Date>`now()`)
    .forShare()
    .executeTakeFirst()
  return lease?.holder === holder && lease.fence === fence
}

/** Renews the lease while its holder works, so that long work is not taken over. */
export function keepLease(
  queries: Queries,
  { name, holder }: { name: string; holder: string },
  { ttlMs, renewMs }: { ttlMs: number; renewMs: number },
): { stop(): void } {
  // A failed renewal is noticed by the fencing check in the transaction that writes.
  const timer = setInterval(() => renewLease(queries, name, holder, ttlMs).catch(() => undefined), renewMs)
  return { stop: () => clearInterval(timer) }
}

/** Renews a lease that the holder has. Never takes one that another process holds or that was given up. */
async function renewLease(queries: Queries, name: string, holder: string, ttlMs: number): Promise<void> {
  await sql`update lease set expires_at = now() + ${ttlMs} * interval '1 millisecond'
    where name = ${name} and holder = ${holder} and expires_at > now()`.execute(queries)
}

/** The database's time, which all processes share: leases expire by it. */
export async function databaseTime(queries: Queries): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(queries)
  const [row] = rows
  if (!row) throw new Bug('the database has no time', {})
  return row.at
}
