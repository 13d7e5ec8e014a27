/** Requests that are sent twice: an idempotency key makes one swap, however often and at the same time it is used. */
import { ApiError, Bug } from '@causeway/core'
import { type CreatedSwap, createSwap, depositActions, KeyTaken, type SwapRequest } from './creating.ts'
import type { Services } from './services.ts'
import { findClaim, type IdempotentRequest, type Standing } from './store/idempotency.ts'
import { readSwapView } from './store/reading.ts'

export async function createOnce(
  services: Services,
  request: SwapRequest,
  repeated: IdempotentRequest | null,
): Promise<CreatedSwap> {
  if (!repeated) return createSwap(services, request)
  const standing = await findClaim(services.database, repeated)
  if (standing) return answerAgain(services, repeated, standing)
  try {
    return await createSwap(services, request, repeated)
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error
    const taken = await findClaim(services.database, repeated)
    if (!taken) throw new Bug('a taken idempotency key stands for nothing')
    return answerAgain(services, repeated, taken)
  }
}

async function answerAgain(
  services: Services,
  { key }: IdempotentRequest,
  { swapId, isSameBody }: Standing,
): Promise<CreatedSwap> {
  if (!isSameBody) {
    const message = `The idempotency key ${key} was used with another body.`
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', message, { 'idempotency-key': 'was used with another body' })
  }
  const view = await readSwapView(services.database, services.catalogue, swapId)
  if (!view) throw new Bug('an idempotency key stands for a swap that does not exist', { swapId })
  return { view, actions: await depositActions(services, view) }
}
