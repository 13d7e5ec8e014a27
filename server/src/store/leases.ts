/** Leases: one holder at a time, taken over when it stops renewing. The database's clock decides, nobody else's. */
import { sql } from 'kysely'
import type { Queries } from './database.ts'

/** Takes or renews. Answers the fence number, or null while somebody else holds it. */
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

/** Says whether the lease is still the caller's, and keeps it from moving on for the rest of the transaction. */
export async function holdsLease(queries: Queries, name: string, holder: string, fence: bigint): Promise<boolean> {
  const lease = await queries.selectFrom('lease').selectAll().where('name', '=', name).forShare().executeTakeFirst()
  return lease?.holder === holder && lease.fence === fence
}
