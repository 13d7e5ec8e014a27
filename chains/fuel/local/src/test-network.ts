/** A local Fuel network as the catalogue would describe it. For tests. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { WATCHDOG_ID } from './watchdog.ts'

const USDC = '0x286c479da40dc953bddc3bb4c453b608bba2e0ac483b077bd475174115395e6b'

export function testNetwork(settings: Record<string, unknown> = {}): Network {
  return sampleNetwork(
    [
      { symbol: 'ETH', contract: null, decimals: 9 },
      { symbol: 'USDC', contract: USDC, decimals: 6 },
    ],
    {
      ...{ name: 'FUEL_LOCAL', type: 'fuel', chainId: '0', pollMs: 50 },
      settings: { watchdog_contract: WATCHDOG_ID, ...settings },
    },
  )
}
