/**
 * Deposit instructions: a transfer to us whose memo is the swap's sequence number in decimal, or any transfer to a
 * deposit address. `scanning/sightings.ts` reads them from the chain.
 */
import { transferAction } from '@causeway/chain-kit'
import type { DepositAction, DepositRequest } from '@causeway/core'

export function depositAction(request: DepositRequest): DepositAction {
  return transferAction(request)
}
