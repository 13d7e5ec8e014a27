/** A TON network as the catalogue would describe it, for the tests: native TON and USDT at its real mainnet address. */
import type { Network, Token } from '@causeway/core'

export const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const LISTED = '2026-11-15T00:00:00Z'
const ZERO_STATE = 'gj+B8wb/AmlPk1z1AhVI484rhrUpgSr2oSFIh56VoSg='

export function testNetwork(changes: Partial<Network> = {}): Network {
  const name = changes.name ?? 'TON_TESTNET'
  const native = token(name, 'TON', null, 9)
  return {
    name,
    displayName: 'TON Testnet',
    type: 'ton',
    chainId: '-3',
    nodes: [],
    transactionExplorer: '',
    accountExplorer: '',
    listingDate: LISTED,
    sourceRank: 1,
    destinationRank: 1,
    nativeToken: native,
    tokens: [native, token(name, 'USDT', USDT, 6)],
    confirmations: [{ upToUsd: null, confirmations: 1 }],
    finalDepth: 4,
    pollMs: 100,
    settings: { zero_state: ZERO_STATE, testnet: true },
    ...changes,
  }
}

function token(network: string, symbol: string, contract: string | null, decimals: number): Token {
  const listing = { listingDate: LISTED, sourceRank: 1, destinationRank: 1 }
  return { network, symbol, displayAsset: symbol, contract, decimals, precision: 6, group: symbol, ...listing }
}
