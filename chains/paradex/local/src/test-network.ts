/** A Paradex network as the catalogue would describe it, for the tests. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { LOCAL_GAS } from './index.ts'

export const USDC = '0x07348407ebad690fec0cc8597e87dc16ef7b269a655ff72587dafff83d462be2'
export const PARACLEAR = '0x03ca9388f8d4e04adecbd7b06b9b24a33030a593522248a7bddd87afc0b61a0c'
export const WATCHDOG = '0x0567890abcdef0123456789abcdef0123456789abcdef0123456789abcdef012'

export function testNetwork(changes: Partial<Network> = {}): Network {
  return sampleNetwork([{ symbol: 'USDC', contract: null, decimals: 6 }], {
    name: 'PARADEX_TESTNET',
    type: 'paradex',
    chainId: '0x505249564154455f534e5f504f54435f5345504f4c4941',
    finalDepth: 12,
    settings: { fee_token: USDC, paraclear: PARACLEAR, watchdog: WATCHDOG, ...LOCAL_GAS },
    ...changes,
  })
}
