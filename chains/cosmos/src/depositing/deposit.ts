/** What a user is asked to send: coins to us with the swap's number as the transaction's memo, or any to a deposit address. */
import type { DepositAction, DepositRequest } from '@causeway/core'

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
