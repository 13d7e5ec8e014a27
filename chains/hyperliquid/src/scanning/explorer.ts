/**
 * The account that a transaction paid, found by its hash, if the network's file names an explorer. Only a hint: the
 * ledger decides.
 */
import { httpRequest } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import { parseAddress } from '../address.ts'
import type { HyperliquidChain } from '../chain.ts'

export async function paidBy({ settings }: HyperliquidChain, hash: string): Promise<Address | null> {
  const { explorerUrl, requestTimeoutMs: timeoutMs } = settings
  if (explorerUrl === null) return null
  const endpoint = { name: new URL(explorerUrl).host, url: explorerUrl, timeoutMs }
  try {
    const answer = await httpRequest(fetch, endpoint, { type: 'txDetails', hash }, (response) => response.json())
    const { tx } = (answer ?? {}) as { tx?: { action?: { destination?: unknown } } }
    const destination = tx?.action?.destination
    return typeof destination === 'string' ? parseAddress(destination) : null
  } catch {
    return null
  }
}
