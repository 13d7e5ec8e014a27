/**
 * The simulated family: the smallest adapter, to be read first. It uses the network type `starkex`, because a type must
 * be one of the listed ones, and tests load this family by its own name. No real network is behind it, only the
 * in-memory blockchain of `../local`, which fails on demand.
 */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { NATIVE_ADDRESS, parseAddress } from './address.ts'
import { openChain } from './chain.ts'
import { treasuryOf } from './paying/treasury.ts'
import { readSettings } from './settings.ts'

export const family: Family = {
  type: 'starkex',
  nativeAddress: NATIVE_ADDRESS,
  parseAddress,
  treasury: (_network, signer) => treasuryOf(signer),
  feeBounds: (network) => {
    const payment = readSettings(network).maxFeePerMove
    return { payment, hour: 100n * payment }
  },
  open: async ({ network, signer, log }) => adapterOf(await openChain(network, signer, log)),
}
