/** The EVM family: every chain with Ethereum's JSON-RPC. README.md says what counts as a deposit here. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { naming } from './address.ts'
import { openChain } from './chain.ts'
import { MAINNETS } from './mainnets.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { treasuryAddress } from './paying/treasury.ts'
import { chainIdOf, parseSettings } from './settings.ts'

export const family: Family = {
  ...naming,
  type: 'evm',
  treasury: (_network, signer) => treasuryAddress(signer),
  feeBounds: (network) => feeBounds(parseSettings(network)),
  domain: (network) => chainIdOf(network).toString(),
  holdsRealMoney: (network) => MAINNETS.has(chainIdOf(network)),
  async open({ network, signer, log, spent }) {
    return adapterOf(openChain(network, signer, await treasuryAddress(signer), log, spent))
  },
}
