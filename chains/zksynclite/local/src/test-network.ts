/** A ZKsync Lite network as the catalogue would describe it, for the tests. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'

/** Blocks are made only on a test's request. */
const SLOW_POLL_MS = 1_000

export function testNetwork(changes: Partial<Network> = {}): Network {
  return sampleNetwork([{ symbol: 'ETH', contract: null, decimals: 18 }], {
    name: 'ZKSYNC_SEPOLIA',
    type: 'zksynclite',
    finalDepth: 4,
    pollMs: SLOW_POLL_MS,
    settings: { ethereum_chain_id: 11_155_111 },
    ...changes,
  })
}
