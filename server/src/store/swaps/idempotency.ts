/**
 * Idempotency keys: a repeated request gets the swap of the first one. The statement that stores the swap claims the
 * key.
 */
import { sql } from 'kysely'
import { coalesce } from '../db/coalesce.ts'
import type { Database, Queries } from '../db/database.ts'

export interface IdempotentRequest {
  /** The app, or the client's IP address if it has no key. */
  scope: string
  key: string
  bodyHash: string
}

export interface ClaimState {
  swapId: string
  isSameBody: boolean
}

/** The earlier claim of a key. */
export const findClaim = coalesce(
  async (database: Database, asked: IdempotentRequest[]): Promise<(ClaimState | null)[]> => {
    const rows = await database
      .selectFrom('idempotency_key')
      .select(['scope', 'key', 'swap_id', 'body_hash'])
      .where(sql<boolean>`scope = any(${[...new Set(asked.map(({ scope }) => scope))]}::text[])`)
      .where(sql<boolean>`key = any(${asked.map(({ key }) => key)}::text[])`)
      .execute()
    const found = new Map(rows.map((row) => [nameOf(row), row]))
    return asked.map((request) => {
      const row = found.get(nameOf(request))
      return row ? { swapId: row.swap_id, isSameBody: row.body_hash === request.bodyHash } : null
    })
  },
)

/** Joins scope and key by a space, which neither contains. */
function nameOf({ scope, key }: { scope: string; key: string }): string {
  return `${scope} ${key}`
}

/** Keys deleted per statement: after an outage there may be many. */
const FORGOTTEN_AT_ONCE = 5_000

export async function forgetKeys(queries: Queries, before: Date): Promise<void> {
  for (let forgotten = FORGOTTEN_AT_ONCE; forgotten === FORGOTTEN_AT_ONCE; ) {
    const { numAffectedRows } = await sql`delete from idempotency_key where ctid in (select ctid from idempotency_key
      where created_at < ${before} order by created_at limit ${FORGOTTEN_AT_ONCE})`.execute(queries)
    forgotten = Number(numAffectedRows ?? 0)
  }
}
