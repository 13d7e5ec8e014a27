/** A StarkEx ledger as the catalogue would describe it, for the tests: ETH in quanta of 10^8 units, and USDC. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'

export const USDC = '0x07865c6E87B9F70255377e024ace6630C1Eaa37F'
/** Batches are made only on a test's request. */
const SLOW_POLL_MS = 1_000

export function testNetwork(changes: Partial<Network> = {}): Network {
  const native = { symbol: 'ETH', contract: null, decimals: 18 }
  return sampleNetwork([native, { symbol: 'USDC', contract: USDC, decimals: 6 }], {
    name: 'IMMUTABLEX_SANDBOX',
    type: 'starkex',
    finalDepth: 4,
    pollMs: SLOW_POLL_MS,
    settings: { instance: 'immutablex-sandbox', quanta: { ETH: '100000000', USDC: '1' } },
    ...changes,
  })
}
