/** Reads facts from the chain itself, if a node answers: its id, and code, symbol and decimals of every token. */
import { encodeFunctionData, erc20Abi, type Hex, hexToString } from 'viem'
import { sameSymbol } from './books.ts'
import type { Finding } from './check.ts'
import type { NetworkFile } from './files.ts'

const TIMEOUT_MS = 5_000

/** Null if no node answers: nothing was checked. */
export async function askChain(file: NetworkFile): Promise<Finding[] | null> {
  if (file.type !== 'evm') return null
  const answers = await Promise.all(file.nodes.map((url) => askNode(file, url).catch(() => null)))
  const told = answers.filter((findings) => findings !== null)
  return told.length === 0 ? null : told.flat()
}

async function askNode(file: NetworkFile, url: string): Promise<Finding[]> {
  const ask = (method: string, ...params: unknown[]) => post(url, method, params)
  const { hostname } = new URL(url)
  const id = BigInt((await ask('eth_chainId')) as Hex)
  if (String(id) !== file.chain_id) return [{ state: 'wrong', text: `${hostname} is on chain ${id}` }]
  const tokens = await Promise.all(
    file.tokens.map(async ({ contract, symbol, decimals }): Promise<Finding[]> => {
      if (contract === null) return []
      const call = (functionName: 'symbol' | 'decimals') =>
        ask('eth_call', { to: contract, data: encodeFunctionData({ abi: erc20Abi, functionName }) }, 'latest')
      if ((await ask('eth_getCode', contract, 'latest')) === '0x') {
        return [{ state: 'wrong', text: `${symbol}: nothing stands at ${contract}` }]
      }
      const [named, counted] = await Promise.all([call('symbol'), call('decimals')])
      const theirs = textIn(named as Hex)
      if (BigInt(counted as Hex) !== BigInt(decimals)) {
        return [{ state: 'wrong', text: `${symbol} has ${BigInt(counted as Hex)} decimals on the chain` }]
      }
      // A contract may claim any name; a person should check it.
      return sameSymbol(theirs, symbol) ? [] : [{ state: 'silent', text: `${symbol} calls itself ${theirs}` }]
    }),
  )
  return [{ state: 'right', text: `${hostname} is on chain ${id}` }, ...tokens.flat()]
}

/** A string as contracts return it: with its length, or in 32 bytes as some old ones do. */
function textIn(answer: Hex): string {
  const body = answer.slice(2)
  const hex = body.length > 64 ? body.slice(128, 128 + 2 * Number.parseInt(body.slice(64, 128), 16)) : body
  return hexToString(`0x${hex}`).replaceAll('\0', '')
}

async function post(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { result, error }: { result?: unknown; error?: { message: string } } = await response.json()
  if (error) throw new Error(error.message)
  return result
}
