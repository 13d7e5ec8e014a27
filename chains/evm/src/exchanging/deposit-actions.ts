/** The transactions by which a depositor makes an exchange from its own wallet. The router pays the swap's deposit address. */
import type { DepositAction, Exchange } from '@causeway/core'
import { encodeFunctionData, erc20Abi, getAddress } from 'viem'
import type { EvmChain } from '../chain.ts'
import { routerCall } from './router-call.ts'

export function depositActions(chain: EvmChain, exchange: Exchange): DepositAction[] {
  const { to: router, value, data } = routerCall(chain, exchange)
  const { token, units } = exchange.sells
  const exchanging = actionOf(router, value, data)
  if (token.contract === null) return [exchanging]
  const args = [getAddress(router), units] as const
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  return [actionOf(token.contract, 0n, approval), exchanging]
}

function actionOf(toAddress: string, units: bigint, callData: string): DepositAction {
  return { type: 'transfer', toAddress, units, callData, gasLimit: null, encodedArgs: null }
}
