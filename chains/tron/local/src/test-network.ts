/** A Tron network as the catalogue would describe it, for the tests: TRX, and USDT with its mainnet behaviour. */
import type { Network } from '@causeway/core'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'

export const USDT = 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'
export const FACTORY = 'TYeJXEmbomUcf9HYTe4mdedu7xgFq6Sbtn'
export const DEPOSITORY = 'TMLqM8rLg12cHs7SPqjExJBzEZiM4aSVnW'
const GENESIS = `0000000000000000${'cd8690dc'.repeat(6)}`

export function testNetwork(changes: Partial<Network> = {}): Network {
  const native = { symbol: 'TRX', contract: null, decimals: 6 }
  return sampleNetwork([native, { symbol: 'USDT', contract: USDT, decimals: 6 }], {
    name: 'TRON_TESTNET',
    type: 'tron',
    chainId: '3448148188',
    finalDepth: 20,
    // The double's clock runs ahead with every block that is mined by hand.
    settings: { genesis: GENESIS, forwarder_factory: FACTORY, depository: DEPOSITORY, max_lead_seconds: 1_000_000 },
    ...changes,
  })
}
