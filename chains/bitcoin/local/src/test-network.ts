/** A local Bitcoin network as the catalogue would describe it. For tests. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'

export function testNetwork(settings: Record<string, unknown> = {}): Network {
  return sampleNetwork([{ symbol: 'BTC', contract: null, decimals: 8 }], {
    name: 'BITCOIN_LOCAL',
    type: 'bitcoin',
    confirmations: [{ upToUsd: null, confirmations: 2 }],
    pollMs: 50,
    settings: { chain: 'regtest', ...settings },
  })
}
