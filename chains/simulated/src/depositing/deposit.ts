/**
 * What a user is asked to send: a transfer to us whose memo is the swap's sequence number in decimal, or any transfer to
 * a deposit address. `scanning/sightings.ts` reads them from the chain.
 */
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
