/** A Hyperliquid network for the tests, as the catalogue would describe it: USDC and HYPE. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'

/** HYPE's system address, used as its contract address. */
const HYPE = '0x2222222222222222222222222222222222222222'

export function testNetwork(changes: Partial<Network> = {}): Network {
  const native = { symbol: 'USDC', contract: null, decimals: 8 }
  return sampleNetwork([native, { symbol: 'HYPE', contract: HYPE, decimals: 8 }], {
    name: 'HYPERLIQUID_TESTNET',
    type: 'hyperliquid',
    chainId: '1337',
    finalDepth: 60,
    settings: {
      hyperliquid_chain: 'Testnet',
      tokens: { [HYPE]: 'HYPE:0x7317beb7cceed72ef0b346074cc8e7ab' },
      weight_per_minute: 1_000_000,
    },
    ...changes,
  })
}
