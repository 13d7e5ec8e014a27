/** Test helpers that take jobs from the queue in place of a worker. */
import { sql } from 'kysely'
import type { Queries } from './database.ts'
import type { AddressGiven } from './jobs.ts'

/** Takes the queued refund addresses for owed money. */
export async function takeGiven(queries: Queries): Promise<AddressGiven[]> {
  const { rows } = await sql<{ payload: AddressGiven }>`
    with done as (delete from graphile_worker._private_jobs where payload->>'by' is not null returning payload)
    select payload from done`.execute(queries)
  return rows.map(({ payload }) => payload)
}
