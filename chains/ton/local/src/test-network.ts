/** A TON network as the catalogue would describe it, for the tests: native TON and USDT at its real mainnet address. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'

export const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const ZERO_STATE = 'gj+B8wb/AmlPk1z1AhVI484rhrUpgSr2oSFIh56VoSg='

export function testNetwork(changes: Partial<Network> = {}): Network {
  const native = { symbol: 'TON', contract: null, decimals: 9 }
  return sampleNetwork([native, { symbol: 'USDT', contract: USDT, decimals: 6 }], {
    name: 'TON_TESTNET',
    type: 'ton',
    chainId: '-3',
    finalDepth: 4,
    // The tests advance the chain's clock, so any lead is accepted.
    settings: { zero_state: ZERO_STATE, testnet: true, max_lead_seconds: 1_000_000 },
    ...changes,
  })
}
