/**
 * Deposit instructions and their decoding. A transfer carries no text, but its expiry is signed, public, and need only
 * be in the future: it holds the swap's reference.
 */
import { transferAction } from '@causeway/chain-kit'
import { type DepositAction, type DepositRequest, isReference } from '@causeway/core'
import { MAX_TIMESTAMP } from '../transaction.ts'

/** Base of the encoded expiry: above every real time, and low enough that base plus reference is a safe integer. */
const OFFSET = 10_000_000_000n
/**
 * Published wallets count down from the latest time instead, up to this much. Real clocks do not reach that range this
 * century.
 */
const MOST_COUNTED_DOWN = 294_967_295n

export function depositAction(request: DepositRequest): DepositAction {
  return transferAction(request, (OFFSET + request.reference).toString())
}

/** The reference in a transfer's expiry; null if it is a real time. */
export function referenceIn(validUntil: number): bigint | null {
  const counted = BigInt(MAX_TIMESTAMP) - BigInt(validUntil)
  const number = counted < 0n ? BigInt(validUntil) - OFFSET : counted
  if (!isReference(number)) return null
  return counted < 0n || number <= MOST_COUNTED_DOWN ? number : null
}
