/** Idempotency keys: who repeats a request gets the first one's swap. A key is claimed by the statement that stores the swap. */
import type { Queries } from './database.ts'

export interface IdempotentRequest {
  /** The app, or everybody without a key. */
  scope: string
  key: string
  bodyHash: string
}

export interface Standing {
  swapId: string
  isSameBody: boolean
}

/** What a key stands for already. */
export async function findClaim(queries: Queries, request: IdempotentRequest): Promise<Standing | null> {
  const row = await queries
    .selectFrom('idempotency_key')
    .select(['swap_id', 'body_hash'])
    .where('scope', '=', request.scope)
    .where('key', '=', request.key)
    .executeTakeFirst()
  return row ? { swapId: row.swap_id, isSameBody: row.body_hash === request.bodyHash } : null
}

export async function forgetKeys(queries: Queries, before: Date): Promise<void> {
  await queries.deleteFrom('idempotency_key').where('created_at', '<', before).execute()
}
