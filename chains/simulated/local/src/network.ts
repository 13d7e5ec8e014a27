/**
 * A simulated network as the catalogue would describe it, with a native token and one other token. There is no file for
 * it.
 */
import type { Network, Token } from '@causeway/core'
import { contractAddress } from '../../src/address.ts'

const LISTED = '2026-01-01T00:00:00Z'

export function simulatedNetwork(name: string, settings: Record<string, unknown> = {}): Network {
  const nativeToken = token(name, 'SIM', null, 18)
  return {
    name,
    displayName: 'Simulated',
    type: 'starkex',
    chainId: null,
    nodes: [],
    transactionExplorer: 'simulated://tx/{0}',
    accountExplorer: 'simulated://account/{0}',
    listingDate: LISTED,
    sourceRank: 1,
    destinationRank: 1,
    nativeToken,
    tokens: [nativeToken, token(name, 'USDX', contractAddress('USDX'), 6)],
    confirmations: [{ upToUsd: null, confirmations: 2 }],
    finalDepth: 6,
    pollMs: 10,
    settings,
  }
}

function token(network: string, symbol: string, contract: string | null, decimals: number): Token {
  return {
    network,
    symbol,
    displayAsset: symbol,
    contract,
    decimals,
    precision: 6,
    group: symbol,
    listingDate: LISTED,
    sourceRank: 1,
    destinationRank: 1,
  }
}
