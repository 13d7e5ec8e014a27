/**
 * The Fuel family, over any node of fuel-core. Deposits name their swap by a call of a watchdog contract or go to an address of
 * their own; a payout's slot is the coins it spends and the block until which it can land.
 */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { keyAddress, naming } from './address.ts'
import { openChain } from './chain.ts'
import { parseSettings, TREASURY_KEY } from './settings.ts'

/** The public network with money on it. */
const MAIN_CHAIN_ID = 9_889n

export const family: Family = {
  ...naming,
  type: 'fuel',
  treasury: async (_network, signer) => keyAddress(await signer.publicKey(TREASURY_KEY)),
  // A payment costs a hundredth of the bound as a rule.
  feeBounds: (network) => ({ payment: parseSettings(network).maxFee, hour: 20n * parseSettings(network).maxFee }),
  // The chain's number is hashed into all that is signed.
  domain: (network) => `fuel ${parseSettings(network).chainId}`,
  holdsRealMoney: (network) => parseSettings(network).chainId === MAIN_CHAIN_ID,
  open: async (options) => adapterOf(await openChain(options)),
}
