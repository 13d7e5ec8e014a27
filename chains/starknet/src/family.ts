/** Builds a family for any kind of network that this code serves (Starknet, Paradex). */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { parseAddress } from './address.ts'
import { openChain } from './chain.ts'
import type { Kind } from './kind.ts'
import { feeBounds } from './paying/max-signing-cost.ts'
import { accountOf } from './paying/treasury.ts'
import { chainIdOf } from './settings.ts'

export function familyOf(kind: Kind): Family {
  return {
    nativeAddress: kind.nativeAddress,
    parseAddress,
    type: kind.type,
    treasury: async (network, signer) => (await accountOf(kind, kind.profileOf(network), signer)).address,
    feeBounds: (network) => feeBounds(kind.profileOf(network).settings),
    // The replay domain: the chain id is part of every signed hash.
    domain: (network) => `0x${chainIdOf(network).toString(16)}`,
    holdsRealMoney: (network) => chainIdOf(network) === kind.mainnetId,
    open: async (options) => adapterOf(await openChain(kind, options)),
  }
}
