/** The ZKsync Lite family. Its public network is closed: see README.md for what is left of it, and for how it works. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { naming } from './address.ts'
import { openChain } from './chain.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { treasuryOf } from './paying/treasury.ts'
import { MAIN_CHAIN_ID, parseSettings } from './settings.ts'

export const family: Family = {
  ...naming,
  type: 'zksynclite',
  treasury: (_network, signer) => treasuryOf(signer),
  feeBounds: (network) => feeBounds(parseSettings(network)),
  // The replay domain: the bytes name no network, but the signing key is derived for one.
  domain: (network) => parseSettings(network).ethereumChainId.toString(),
  holdsRealMoney: (network) => parseSettings(network).ethereumChainId === MAIN_CHAIN_ID,
  open: async (options) => adapterOf(await openChain(options)),
}
