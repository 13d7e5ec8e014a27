/** Idempotency keys: who repeats a request gets the first one's swap, in the transaction that would make another. */
import type { Queries } from './database.ts'

export interface IdempotentRequest {
  /** The app, or everybody without a key. */
  scope: string
  key: string
  bodyHash: string
}

/** Null where the key is new and now stands for `swapId`; otherwise what it stands for already. */
export async function claimKey(
  queries: Queries,
  request: IdempotentRequest,
  swapId: string,
): Promise<{ swapId: string; isSameBody: boolean } | null> {
  const claimed = await queries
    .insertInto('idempotency_key')
    .values({ scope: request.scope, key: request.key, body_hash: request.bodyHash, swap_id: swapId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  if (claimed) return null
  const standing = await queries
    .selectFrom('idempotency_key')
    .select(['swap_id', 'body_hash'])
    .where('scope', '=', request.scope)
    .where('key', '=', request.key)
    .executeTakeFirstOrThrow()
  return { swapId: standing.swap_id, isSameBody: standing.body_hash === request.bodyHash }
}
