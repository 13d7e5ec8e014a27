/** The router's allowance over a token of the treasury: always exactly what open legs need, never unlimited. */
import { type Address, Bug, type PreparedCall, type RouterApproval, type Token } from '@causeway/core'
import { encodeFunctionData, erc20Abi, getAddress } from 'viem'
import type { EvmChain } from '../chain.ts'
import { contractCall } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { word } from '../paying/balance.ts'
import { formatCall, parseCall } from '../paying/order.ts'
import { decodeApproval, isApproval } from './router-call.ts'

export async function allowance(chain: EvmChain, router: Address, { contract }: Token): Promise<bigint> {
  if (contract === null) throw new Bug('the native token needs no allowance', { router })
  return chain.rpc.use((node) => allowanceAt(chain, node, router, contract))
}

export async function allowanceAt(
  { treasury }: EvmChain,
  node: Node,
  router: Address,
  contract: Address,
): Promise<bigint> {
  const args = [getAddress(treasury), getAddress(router)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args })
  const [answer] = await node.ask([contractCall({ to: contract, data })])
  return word(answer)
}

export function approvalCall(chain: EvmChain, router: Address, token: Token, units: bigint): PreparedCall {
  const { contract } = token
  if (contract === null) throw new Bug('the native token needs no allowance', { router })
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [getAddress(router), units] })
  if (!isApproval(chain, contract, data)) throw new Bug('an approval that is not ours to make', { router, contract })
  return formatCall({ to: contract, data, needs: null })
}

export function approvalIn(call: PreparedCall): RouterApproval | null {
  try {
    const { to, data } = parseCall(call)
    return decodeApproval(getAddress(to), data)
  } catch {
    // Not a call of this family: signing it fails, too.
    return null
  }
}
