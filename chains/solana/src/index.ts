/** The Solana family: every cluster that speaks Solana's JSON-RPC. See README.md for what counts as a deposit here. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { naming } from './address.ts'
import { openChain } from './chain.ts'
import { ceilingOf, parseTerms } from './paying/draft.ts'
import { treasuryAddress } from './paying/treasury.ts'

export const family: Family = {
  ...naming,
  type: 'solana',
  treasury: (_network, signer) => treasuryAddress(signer),
  feeCeiling: (draft) => ceilingOf(parseTerms(draft)),
  async open({ network, signer, log }) {
    return adapterOf(await openChain(network, signer, log))
  },
}
