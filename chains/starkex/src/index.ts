/** The StarkEx family (Immutable X and its kind). Its public networks are closed: see README.md for what is left, and how it works. */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { naming } from './address.ts'
import { openChain } from './chain.ts'
import { keepRegistered } from './paying/registration.ts'
import { treasuryOf } from './paying/treasury.ts'
import { isMain, parseSettings } from './settings.ts'

export const family: Family = {
  ...naming,
  type: 'starkex',
  treasury: (_network, signer) => treasuryOf(signer),
  // There are no fees.
  feeBounds: () => ({ payment: 0n, hour: 0n }),
  // The replay domain: the messages name no ledger, but the signing key is derived for one.
  domain: (network) => parseSettings(network).instance,
  holdsRealMoney: (network) => isMain(parseSettings(network)),
  async open(options) {
    const chain = await openChain(options)
    // Registers our key: before that the ledger can pay us nothing. A signer calls no node, so it skips this.
    if (!chain.distrusts) await keepRegistered(chain)
    return adapterOf(chain)
  },
}
