/**
 * How a deposit carries a swap's reference: as plain decimal text in the transaction's own data, which its owner signs.
 */
import { transferAction } from '@causeway/chain-kit'
import { type DepositAction, type DepositRequest, parseDecimalReference } from '@causeway/core'

export function depositAction(request: DepositRequest): DepositAction {
  return transferAction(request)
}

/** The reference in a memo that contains nothing else; null otherwise. */
export function referenceIn(memo: Uint8Array): bigint | null {
  return parseDecimalReference(Buffer.from(memo).toString('latin1'))
}
