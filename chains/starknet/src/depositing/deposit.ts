/**
 * Deposit instructions: two calls of the user's own account in one transaction, the transfer and the swap's reference
 * to our watchdog contract. Both happen or neither does.
 */
import { transferAction } from '@causeway/chain-kit'
import { ApiError, Bug, type DepositAction, type DepositRequest } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { hex, padded } from '../felt.ts'
import { contractOf, transferCall } from '../paying/order.ts'
import type { ContractCall } from '../transaction.ts'

export function depositAction(chain: StarknetChain, request: DepositRequest): DepositAction {
  const { token, units, receiver, reference } = request
  const { watchdog } = chain.settings
  if (watchdog === null) {
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', `Nothing can be deposited on ${chain.network.name}.`)
  }
  if (units <= 0n) throw new Bug('a deposit needs an amount', { token: token.symbol, units })
  const calls: ContractCall[] = [
    transferCall(contractOf(chain, token), receiver, units),
    { to: BigInt(watchdog), entrypoint: 'watch', calldata: [reference] },
  ]
  return transferAction(request, JSON.stringify(calls.map(wireCall)))
}

/** A call in the form that wallets accept. */
function wireCall({ to, entrypoint, calldata }: ContractCall) {
  return { contractAddress: padded(to), entrypoint, calldata: calldata.map(hex) }
}
