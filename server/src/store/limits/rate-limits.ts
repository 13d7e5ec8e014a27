/** Rate-limit windows of clients (one minute each), shared by all processes. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface Counted {
  client: string
  reads: number
  creations: number
}

/** A client's window, summed over all processes. */
export interface Settled extends Counted {
  leftMs: number
}

/** A process that has not reported for this long is no longer counted. */
const PROCESS_SECONDS = 60

/** Adds the requests that this process counted and returns the sums. An expired window starts again. */
export async function settleWindows(
  queries: Queries,
  processId: string,
  counted: readonly Counted[],
  windowMs: number,
): Promise<{ processes: number; windows: Settled[] }> {
  // Sorted, so that two processes lock the rows in the same order and never deadlock.
  const given = [...counted].sort((a, b) => (a.client < b.client ? -1 : 1))
  const { rows } = await sql<Settled & { processes: number }>`
    with me as (
      insert into rate_process (id, seen_at) values (${processId}, now())
      on conflict (id) do update set seen_at = now()
    ), settled as (
      insert into rate_window as w (client, ends_at, reads, creations)
      select client, now() + make_interval(secs => ${windowMs / 1000}), reads, creations
      from unnest(${given.map(({ client }) => client)}::text[], ${given.map(({ reads }) => reads)}::integer[],
        ${given.map(({ creations }) => creations)}::integer[]) as given (client, reads, creations)
      on conflict (client) do update set
        reads = excluded.reads + case when w.ends_at <= now() then 0 else w.reads end,
        creations = excluded.creations + case when w.ends_at <= now() then 0 else w.creations end,
        ends_at = case when w.ends_at <= now() then excluded.ends_at else w.ends_at end
      returning client, reads, creations, (extract(epoch from ends_at - now()) * 1000)::integer as "leftMs"
    )
    select settled.*, (
      select count(*)::integer from rate_process
      where id <> ${processId} and seen_at > now() - make_interval(secs => ${PROCESS_SECONDS})) as processes
    from settled`.execute(queries)
  return {
    processes: 1 + (rows[0]?.processes ?? 0),
    windows: rows.map(({ client, reads, creations, leftMs }) => ({ client, reads, creations, leftMs })),
  }
}

/** Deletes expired windows and processes. */
export async function forgetWindows(queries: Queries): Promise<void> {
  await sql`delete from rate_window where ends_at < now()`.execute(queries)
  await sql`delete from rate_process where seen_at < now() - make_interval(secs => ${PROCESS_SECONDS})`.execute(queries)
}
