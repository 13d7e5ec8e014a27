/** Deposit instructions: coins to us with the swap's number as the transaction's memo, or any to a deposit address. */
import { transferAction } from '@causeway/chain-kit'
import type { DepositAction, DepositRequest } from '@causeway/core'

export function depositAction(request: DepositRequest): DepositAction {
  return transferAction(request)
}
