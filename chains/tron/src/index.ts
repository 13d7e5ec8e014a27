/** The Tron family: native TRX and TRC-20 tokens. README.md says what counts as a deposit here. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { naming } from './address.ts'
import { openChain } from './chain.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { treasuryAddress } from './paying/treasury.ts'
import { MAIN_GENESIS, parseSettings } from './settings.ts'

export const family: Family = {
  ...naming,
  type: 'tron',
  treasury: (_network, signer) => treasuryAddress(signer),
  feeBounds: (network) => feeBounds(parseSettings(network)),
  // The replay domain: a transaction names no network, only a block that the requester may choose, so all networks
  // share one.
  domain: () => 'one for all',
  holdsRealMoney: (network) => parseSettings(network).genesis === MAIN_GENESIS,
  async open(options) {
    return adapterOf(await openChain(options))
  },
}
