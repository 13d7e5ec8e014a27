/** How a deposit carries a swap's number: as plain decimal text in the transaction's own data, which its owner signs over. */
import { type DepositAction, type DepositRequest, parseDecimalSequence } from '@causeway/core'

export function depositAction({ units, receiver, reference }: DepositRequest): DepositAction {
  return {
    type: 'transfer',
    toAddress: receiver,
    units,
    callData: reference.toString(),
    gasLimit: null,
    encodedArgs: null,
  }
}

/** The number in a memo, where it is nothing but that. */
export function referenceIn(memo: Uint8Array): bigint | null {
  return parseDecimalSequence(Buffer.from(memo).toString('latin1'))
}
