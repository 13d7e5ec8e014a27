/**
 * The Hyperliquid family: spot tokens of the exchange's own ledger, HyperCore. README.md says what counts as a deposit
 * here.
 */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { naming } from './address.ts'
import { openChain } from './chain.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { addressOf, TREASURY_KEY } from './paying/treasury.ts'
import { parseSettings } from './settings.ts'

export const family: Family = {
  ...naming,
  type: 'hyperliquid',
  treasury: (_network, signer) => addressOf(signer, TREASURY_KEY),
  feeBounds: (network) => feeBounds(parseSettings(network)),
  // The replay domain: both networks sign for one chain id, and a field in the signed data separates them.
  domain: (network) => parseSettings(network).chain,
  holdsRealMoney: (network) => parseSettings(network).chain === 'Mainnet',
  open: async (options) => adapterOf(await openChain(options)),
}
