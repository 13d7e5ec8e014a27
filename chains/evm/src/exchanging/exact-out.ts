/**
 * Simulates an exchange and measures what its recipient gets. For this one call the node runs `ExchangeProbe` in place
 * of the treasury: approve, read the balance, exchange, read the balance again. So a token that takes a fee on each
 * transfer is noticed, and no allowance is needed yet.
 */
import { ExchangeProbe } from '@causeway/contracts'
import { type Exchange, PayoutImpossible } from '@causeway/core'
import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  getAbiItem,
  getAddress,
  type Hex,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import type { EvmChain } from '../chain.ts'
import { contractCall, hex } from '../node/calls.ts'
import { isExecutionFailure, traitsOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { AGGREGATOR_ABI, aggregatedOutput } from './aggregator-call.ts'
import { ROUTER_ABI, routerCall } from './router-call.ts'

export function exactOut(chain: EvmChain, exchange: Exchange): Promise<bigint> {
  return chain.rpc.use((node) => exactOutAt(chain, node, exchange))
}

export async function exactOutAt(chain: EvmChain, node: Node, exchange: Exchange): Promise<bigint> {
  const { treasury } = chain
  const { to: router, value, data } = routerCall(chain, exchange)
  const { sells, buys, to } = exchange
  const sold = getAddress(sells.token.contract ?? zeroAddress)
  const args = [sold, sells.units, getAddress(router), data, getAddress(buys.contract ?? ''), getAddress(to)] as const
  const request = {
    ...{ from: treasury, to: treasury, value: hex(value) },
    data: encodeFunctionData({ abi: ExchangeProbe.abi, functionName: 'probe', args }),
  }
  const overrides = { [treasury]: { code: ExchangeProbe.deployedBytecode } }
  const [answer] = await node.settle([contractCall(request, 'latest', overrides)])
  if (answer instanceof Refusal) {
    if (isExecutionFailure(answer, traitsOf(chain))) throw new PayoutImpossible(answer.message)
    throw answer
  }
  const [success, told, received] = decodeFunctionResult({
    abi: ExchangeProbe.abi,
    functionName: 'probe',
    data: answer as Hex,
  })
  if (!success) throw new PayoutImpossible(`the exchange would fail: ${reasonOf(told)}`)
  if (received !== amountOf(data, told))
    throw new PayoutImpossible('the token takes a fee when it is moved, or changes balances')
  return received
}

const V3_SELECTOR = toFunctionSelector(getAbiItem({ abi: ROUTER_ABI, name: 'exactInputSingle' }))
const AGGREGATED_SELECTOR = toFunctionSelector(getAbiItem({ abi: AGGREGATOR_ABI, name: 'swap' }))

/** The output that the router reports. */
function amountOf(call: Hex, answer: Hex): bigint {
  // There is no contract at the address.
  if (answer === '0x') return 0n
  if (call.startsWith(V3_SELECTOR))
    return decodeFunctionResult({ abi: ROUTER_ABI, functionName: 'exactInputSingle', data: answer })
  if (call.toLowerCase().startsWith(AGGREGATED_SELECTOR)) return aggregatedOutput(answer)
  const amounts = decodeFunctionResult({ abi: ROUTER_ABI, functionName: 'swapExactTokensForTokens', data: answer })
  return amounts.at(-1) ?? 0n
}

/** The reason of a revert, if it is a text; else its bytes. */
function reasonOf(data: Hex): string {
  try {
    const { args } = decodeErrorResult({ abi: REASON_ABI, data })
    return String(args[0])
  } catch {
    return data.slice(0, 74)
  }
}

const REASON_ABI = parseAbi(['error Error(string reason)'])
