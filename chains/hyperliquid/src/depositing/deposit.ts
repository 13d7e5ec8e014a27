/** Deposit instructions: a plain transfer to the swap's own address. Such a transfer cannot carry a reference. */
import { type Address, ApiError, type DepositAction, type DepositRequest } from '@causeway/core'

export function depositAction({ token, units, receiver }: DepositRequest, treasury: Address): DepositAction {
  if (receiver === treasury) {
    const reason = `A transfer on ${token.network} cannot name its swap: use_deposit_address is needed.`
    throw new ApiError('VALIDATION_ERROR', reason, { network: token.network })
  }
  return { type: 'manual_transfer', toAddress: receiver, units, callData: null, gasLimit: null, encodedArgs: null }
}
