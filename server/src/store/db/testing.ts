/** What tests take from the queue in place of a worker. */
import { sql } from 'kysely'
import type { Queries } from './database.ts'
import type { AddressGiven } from './jobs.ts'

/** Addresses that were given for owed money. They are taken off the list. */
export async function takeGiven(queries: Queries): Promise<AddressGiven[]> {
  const { rows } = await sql<{ payload: AddressGiven }>`
    with done as (delete from graphile_worker._private_jobs where payload->>'by' is not null returning payload)
    select payload from done`.execute(queries)
  return rows.map(({ payload }) => payload)
}
