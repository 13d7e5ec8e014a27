/** Idempotency keys: who repeats a request gets the first one's swap, in the transaction that would make another. */
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

/**
 * False where the key stands for another swap already. Whoever claims the same key at the same time waits here for the
 * end of the other's transaction.
 */
export async function claimKey(
  queries: Queries,
  request: IdempotentRequest,
  swapId: string,
  now: Date,
): Promise<boolean> {
  const claimed = await queries
    .insertInto('idempotency_key')
    .values({
      scope: request.scope,
      key: request.key,
      body_hash: request.bodyHash,
      swap_id: swapId,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function forgetKeys(queries: Queries, before: Date): Promise<void> {
  await queries.deleteFrom('idempotency_key').where('created_at', '<', before).execute()
}
