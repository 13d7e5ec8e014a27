/** A Starknet network as the catalogue would describe it, for the tests: STRK, and USDC at its real address of Sepolia. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'

export const STRK = '0x04718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'
export const USDC = '0x0512feac6339ff7889822cb5aa2a86c848e9d392bb0e3e237c008674feed8343'
export const WATCHDOG = '0x0567890abcdef0123456789abcdef0123456789abcdef0123456789abcdef012'

export function testNetwork(changes: Partial<Network> = {}): Network {
  const native = { symbol: 'STRK', contract: null, decimals: 18 }
  return sampleNetwork([native, { symbol: 'USDC', contract: USDC, decimals: 6 }], {
    name: 'STARKNET_SEPOLIA',
    type: 'starknet',
    chainId: '0x534e5f5345504f4c4941',
    finalDepth: 12,
    settings: { watchdog: WATCHDOG },
    ...changes,
  })
}
