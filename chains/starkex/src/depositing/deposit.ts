/**
 * Deposit instructions and their decoding: a transfer to us whose nonce, which its sender chooses and signs, is the
 * swap's reference. Every transfer has a nonce; random ones are in the upper half, beyond all references.
 */
import { transferAction } from '@causeway/chain-kit'
import { ApiError, type DepositAction, type DepositRequest, isReference } from '@causeway/core'

const MOST_REFERENCE = 2n ** 30n - 1n

export function depositAction(request: DepositRequest): DepositAction {
  if (request.reference > MOST_REFERENCE) {
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', 'The number of this swap does not fit a transfer of this network.')
  }
  return transferAction(request)
}

/** The reference in a transfer's nonce; null if it is not one. */
export function referenceIn(nonce: number): bigint | null {
  const number = BigInt(nonce)
  return isReference(number) && number <= MOST_REFERENCE ? number : null
}
