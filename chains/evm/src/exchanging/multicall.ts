/** Several contract calls in one request: by Multicall3 if it is deployed, else by a JSON-RPC batch. */
import { decodeFunctionResult, encodeFunctionData, getAddress, type Hex, multicall3Abi } from 'viem'
import type { EvmChain } from '../chain.ts'
import { type At, contractCall } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'

export interface Read {
  to: string
  data: Hex
}

/** The answers in the order of the calls, all of one block; null for a call that failed. */
export async function readAll(chain: EvmChain, node: Node, reads: readonly Read[], block: At): Promise<(Hex | null)[]> {
  if (reads.length === 0) return []
  if (!chain.facts.multicallIsDeployed) {
    const answers = await node.settle(reads.map((read) => contractCall(read, block)))
    return answers.map((answer) => (answer instanceof Refusal || answer === '0x' ? null : (answer as Hex)))
  }
  const calls = reads.map(({ to, data }) => ({ target: getAddress(to), allowFailure: true, callData: data }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const [answer] = await node.ask([contractCall({ to: chain.settings.multicall, data }, block)])
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer as Hex })
  return results.map(({ success, returnData }) => (success && returnData !== '0x' ? returnData : null))
}
