/** The results of canary swaps, for the metrics. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface CanaryRow {
  network: string
  method: string
  worked: boolean
  worked_at: Date | null
  failures: bigint
}

/** Stores the result of one canary swap. `problem` is null if it worked. */
export async function recordCanary(
  queries: Queries,
  { network, method, problem, at }: { network: string; method: string; problem: string | null; at: Date },
): Promise<void> {
  const worked = problem === null
  await queries
    .insertInto('canary')
    .values({
      network,
      method,
      worked,
      tried_at: at,
      worked_at: worked ? at : null,
      failures: worked ? 0n : 1n,
      problem,
    })
    .onConflict((conflict) =>
      conflict.columns(['network', 'method']).doUpdateSet({
        worked,
        tried_at: at,
        worked_at: sql`coalesce(excluded.worked_at, canary.worked_at)`,
        failures: sql`canary.failures + excluded.failures`,
        problem,
      }),
    )
    .execute()
}

export function readCanaries(queries: Queries): Promise<CanaryRow[]> {
  return queries.selectFrom('canary').select(['network', 'method', 'worked', 'worked_at', 'failures']).execute()
}
