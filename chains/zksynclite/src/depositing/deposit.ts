/**
 * What a user is asked to send, and how it is read again. A transfer carries no text; its last moment of validity is signed,
 * public, and need only lie in the future: there the swap's number stands.
 */
import { transferAction } from '@causeway/chain-kit'
import { type DepositAction, type DepositRequest, isSequence } from '@causeway/core'
import { MAX_TIMESTAMP } from '../transaction.ts'

/** Above every moment that anybody means as one, and low enough that a number behind it stays a safe integer. */
const OFFSET = 10_000_000_000n
/** Published wallets count down from the last moment instead: so far, which is further than clocks will be this century. */
const MOST_COUNTED_DOWN = 294_967_295n

export function depositAction(request: DepositRequest): DepositAction {
  return transferAction(request, (OFFSET + request.reference).toString())
}

/** The number that the last moment of a transfer's validity says; null where it says a moment. */
export function referenceIn(validUntil: number): bigint | null {
  const counted = BigInt(MAX_TIMESTAMP) - BigInt(validUntil)
  const number = counted < 0n ? BigInt(validUntil) - OFFSET : counted
  if (!isSequence(number)) return null
  return counted < 0n || number <= MOST_COUNTED_DOWN ? number : null
}
