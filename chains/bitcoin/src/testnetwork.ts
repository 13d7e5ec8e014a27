/** A local Bitcoin network as the catalogue would describe it. For tests. */
import type { Network, Token } from '@causeway/core'

const NAME = 'BITCOIN_LOCAL'
const LISTED = '2026-01-01T00:00:00Z'

export function testNetwork(settings: Record<string, unknown> = {}): Network {
  const nativeToken: Token = {
    network: NAME,
    symbol: 'BTC',
    displayAsset: 'BTC',
    contract: null,
    decimals: 8,
    precision: 8,
    group: 'BTC',
    listingDate: LISTED,
    sourceRank: 1,
    destinationRank: 1,
  }
  return {
    name: NAME,
    displayName: 'Bitcoin',
    type: 'bitcoin',
    chainId: null,
    nodes: [],
    transactionExplorer: 'http://localhost/tx/{0}',
    accountExplorer: 'http://localhost/address/{0}',
    listingDate: LISTED,
    sourceRank: 1,
    destinationRank: 1,
    nativeToken,
    tokens: [nativeToken],
    confirmations: [{ upToUsd: null, confirmations: 2 }],
    finalDepth: 6,
    pollMs: 50,
    settings: { chain: 'regtest', ...settings },
  }
}
