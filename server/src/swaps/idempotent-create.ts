/** Repeated requests: an idempotency key creates one swap, however often it is used and even concurrently. */
import { ApiError, Bug } from '@causeway/core'
import type { Services } from '../services.ts'
import { type ClaimState, findClaim, type IdempotentRequest } from '../store/swaps/idempotency.ts'
import { readSwapView } from '../store/swaps/swap-read.ts'
import { type CreatedSwap, KeyTaken, makeSwap } from './create-swap.ts'
import { depositActions } from './deposit-actions.ts'
import type { SwapRequest } from './request.ts'

/** Creates the swap, or finds the one of the first request. Returns the result of `describe`. */
export async function createOnce<Answer>(
  services: Services,
  request: SwapRequest,
  repeated: IdempotentRequest | null,
  describe: (created: CreatedSwap) => Promise<Answer>,
): Promise<Answer> {
  if (!repeated) return makeSwap(services, request, null, describe)
  const standing = await findClaim(services.database, repeated)
  if (standing) return describe(await madeBefore(services, repeated, standing))
  try {
    return await makeSwap(services, request, repeated, describe)
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    const taken = await findClaim(services.database, repeated)
    if (!taken) throw new Bug('a taken idempotency key has no claim')
    return describe(await madeBefore(services, repeated, taken))
  }
}

async function madeBefore(
  services: Services,
  { key }: IdempotentRequest,
  { swapId, isSameBody }: ClaimState,
): Promise<CreatedSwap> {
  if (!isSameBody) {
    const message = `The idempotency key ${key} was used with another body.`
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', message, { 'idempotency-key': 'was used with another body' })
  }
  const view = await readSwapView(services.database, services.catalogue, swapId)
  if (!view) throw new Bug('an idempotency key names a swap that does not exist', { swapId })
  return { view, actions: await depositActions(services, view) }
}
