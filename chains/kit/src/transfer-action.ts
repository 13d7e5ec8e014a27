/** The deposit action of families whose wallets send a plain transfer: one receiver, an amount, and data that names the swap. */
import type { DepositAction, DepositRequest } from '@causeway/core'

/** `callData` is the swap's reference in decimal, unless the family writes it differently. */
export function transferAction(
  { units, receiver, reference }: Pick<DepositRequest, 'units' | 'receiver' | 'reference'>,
  callData: string | null = reference.toString(),
): DepositAction {
  return { type: 'transfer', toAddress: receiver, units, callData, gasLimit: null, encodedArgs: null }
}
