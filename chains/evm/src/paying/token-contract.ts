/** Symbol and decimals of a token, by its contract. */
import type { Address } from '@causeway/core'
import { encodeFunctionData, erc20Abi, type Hex, hexToString } from 'viem'
import { code, contractCall } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { isContract } from '../scanning/transfers.ts'
import { word } from './balance.ts'

/** Null if the address has no code. */
export async function describeToken(
  node: Node,
  contract: Address,
): Promise<{ symbol: string; decimals: number } | null> {
  if (!isContract((await node.ask([code(contract)]))[0])) return null
  const call = (functionName: 'symbol' | 'decimals') =>
    contractCall({ to: contract, data: encodeFunctionData({ abi: erc20Abi, functionName }) })
  const [symbol, decimals] = await node.ask([call('symbol'), call('decimals')])
  return { symbol: textIn(symbol), decimals: Number(word(decimals)) }
}

/** A string as contracts return it: with its length, or in 32 bytes as some old ones do. */
function textIn(answer: string): string {
  const body = answer.slice(2)
  const hex = body.length > 64 ? body.slice(128, 128 + 2 * Number.parseInt(body.slice(64, 128), 16)) : body
  return hexToString(`0x${hex}` as Hex).replaceAll('\0', '')
}
