/** The TON family: native TON and jettons, by the transfer flow only. README.md says what counts as a deposit here. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { namingFor } from './address.ts'
import { openChain } from './chain.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { treasuryOf } from './paying/treasury.ts'
import { MAIN_ZERO_STATE, parseSettings } from './settings.ts'

export const family: Family = {
  // The network is not known here: the adapter rejects testnet addresses on other networks.
  ...namingFor({ testnet: true }),
  type: 'ton',
  treasury: async (network, signer) => (await treasuryOf(signer, parseSettings(network).subwalletId)).address,
  feeBounds: (network) => feeBounds(parseSettings(network)),
  // The replay domain: a message names no network, only the subwallet number of its contract.
  domain: (network) => `subwallet ${parseSettings(network).subwalletId}`,
  holdsRealMoney: (network) => parseSettings(network).zeroState === MAIN_ZERO_STATE,
  async open(options) {
    return adapterOf(await openChain(options))
  },
}
