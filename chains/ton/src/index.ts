/** The TON family: native TON and jettons, by the transfer flow only. See README.md for what counts as a deposit here. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { namingFor } from './address.ts'
import { openChain } from './chain.ts'
import { treasuryOf } from './paying/treasury.ts'

export const family: Family = {
  // Which network it is for is not known here: the adapter refuses testnet addresses where they do not belong.
  ...namingFor({ testnet: true }),
  type: 'ton',
  treasury: async (_network, signer) => (await treasuryOf(signer)).address,
  async open({ network, signer, log }) {
    return adapterOf(openChain(network, signer, await treasuryOf(signer), log))
  },
}
