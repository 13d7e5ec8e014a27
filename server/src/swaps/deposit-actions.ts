/** The steps that the depositor of a swap must take: returned at creation and on every later read. */
import { ApiError, type DepositAction } from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import type { SwapView } from '../store/swaps/swap-read.ts'
import { parseAddress } from './addresses.ts'
import { unitsToAsk } from './funding.ts'
import { gaslessOf, gaslessRequest } from './gasless-authorize.ts'
import { userActions } from './user-execution.ts'

/** `sourceAddress` replaces the one given at creation, for families that need the sender. */
export async function depositActions(
  services: Services,
  view: SwapView,
  sourceAddress: string | null = null,
): Promise<DepositAction[]> {
  const { swap, receiver, reference } = view
  if (swap.userExchange) return userActions(services, view)
  const { source: token } = swap
  const units = unitsToAsk(view)
  if (swap.usesDepositAddress) {
    const rest = { callData: null, gasLimit: null, encodedArgs: null }
    return [{ type: 'manual_transfer', toAddress: receiver, units, ...rest }]
  }
  const chain = chainOf(services.chains, token.network)
  if (swap.usesGasless) return [await gaslessOf(chain).depositAction(await gaslessRequest(services, view))]
  const sender = sourceAddress === null ? swap.sourceAddress : parseAddress(chain, 'source_address', sourceAddress)
  const request = { token, units, receiver, reference, sourceAddress: sender }
  if (!swap.usesDepository) return [await chain.depositAction(request)]
  if (!chain.depository) throw new ApiError('UNSUPPORTED_DEPOSITORY', `There is no Depository on ${token.network}.`)
  return [await chain.depository.depositAction(request)]
}
