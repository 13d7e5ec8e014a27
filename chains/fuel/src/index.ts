/**
 * The Fuel family, over any fuel-core node. Deposits name their swap by a call of a watchdog contract or go to a
 * deposit address; a payout's slot is the coins it spends and the last block that may include it.
 */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { keyAddress, naming } from './address.ts'
import { openChain } from './chain.ts'
import { parseSettings, TREASURY_KEY } from './settings.ts'

/** The chain id of the public network with real money. */
const MAIN_CHAIN_ID = 9_889n

export const family: Family = {
  ...naming,
  type: 'fuel',
  treasury: async (_network, signer) => keyAddress(await signer.publicKey(TREASURY_KEY)),
  // A payment usually costs a hundredth of this limit.
  feeBounds: (network) => ({ payment: parseSettings(network).maxFee, hour: 20n * parseSettings(network).maxFee }),
  // The replay domain: the chain id is hashed into everything that is signed.
  domain: (network) => `fuel ${parseSettings(network).chainId}`,
  holdsRealMoney: (network) => parseSettings(network).chainId === MAIN_CHAIN_ID,
  open: async (options) => adapterOf(await openChain(options)),
}
