/**
 * What a user is asked to send, and how it is read again: a transfer to us whose nonce, which its sender chooses and signs, is
 * the swap's number. Every transfer has a nonce: those that are drawn for no purpose lie in the upper half, where no number is.
 */
import { transferAction } from '@causeway/chain-kit'
import { ApiError, type DepositAction, type DepositRequest, isSequence } from '@causeway/core'

const MOST_REFERENCE = 2n ** 30n - 1n

export function depositAction(request: DepositRequest): DepositAction {
  if (request.reference > MOST_REFERENCE) {
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', 'The number of this swap does not fit a transfer of this network.')
  }
  return transferAction(request)
}

/** The number that a transfer's nonce is; null where it is none. */
export function referenceIn(nonce: number): bigint | null {
  const number = BigInt(nonce)
  return isSequence(number) && number <= MOST_REFERENCE ? number : null
}
