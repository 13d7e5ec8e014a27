/**
 * Deposit instructions: coins to us with the swap's reference as the transaction's memo, or any coins to a deposit
 * address.
 */
import { transferAction } from '@causeway/chain-kit'
import type { DepositAction, DepositRequest } from '@causeway/core'

export function depositAction(request: DepositRequest): DepositAction {
  return transferAction(request)
}
