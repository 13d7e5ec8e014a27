/** The Solana family: every cluster with Solana's JSON-RPC. README.md says what counts as a deposit here. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { naming } from './address.ts'
import { openChain } from './chain.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { treasuryAddress } from './paying/treasury.ts'
import { parseSettings } from './settings.ts'

const MAIN_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

export const family: Family = {
  ...naming,
  type: 'solana',
  treasury: (_network, signer) => treasuryAddress(signer),
  feeBounds: (network) => feeBounds(parseSettings(network)),
  // The replay domain: a signature names no cluster, so it is valid on every cluster with the same nonce value.
  domain: () => 'solana',
  holdsRealMoney: (network) => parseSettings(network).genesisHash === MAIN_GENESIS,
  async open({ network, signer, log, spent }) {
    return adapterOf(await openChain(network, signer, log, spent))
  },
}
