/**
 * The Cosmos family: coins of the bank module on any chain of the SDK. README.md says what counts as a deposit here.
 */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { namingFor } from './address.ts'
import { openChain } from './chain.ts'
import { MAINNETS } from './mainnets.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { treasuryOf } from './paying/treasury.ts'
import { parseSettings } from './settings.ts'

export const family: Family = {
  // The network is not known here: the adapter rejects addresses of other chains.
  ...namingFor(null),
  type: 'cosmos',
  treasury: (network, signer) => treasuryOf(signer, parseSettings(network)),
  feeBounds: (network) => feeBounds(parseSettings(network)),
  // The replay domain: the signed data names the chain.
  domain: (network) => parseSettings(network).chainId,
  holdsRealMoney: (network) => MAINNETS.has(parseSettings(network).chainId),
  open: async (options) => adapterOf(await openChain(options)),
}
