/**
 * The Bitcoin family, over any node with Bitcoin Core's JSON-RPC. Deposits carry the swap's reference in an OP_RETURN
 * output or go to a deposit address; a payout's slot is the UTXOs it spends.
 */
import type { Family } from '@causeway/core'
import { adapterOf } from './adapter.ts'
import { NATIVE_ADDRESS, parseAddress, publicKeyAddress } from './address.ts'
import { openChain } from './chain.ts'
import { CHAINS, parseSettings, treasuryKey } from './settings.ts'

export const family: Family = {
  type: 'bitcoin',
  nativeAddress: NATIVE_ADDRESS,
  /** Accepts an address of any Bitcoin network; an opened network accepts only its own. */
  parseAddress: (text) => {
    const parsed = Object.values(CHAINS).map(({ prefixes }) => parseAddress(text, prefixes))
    return parsed.find((address) => address !== null) ?? null
  },
  treasury: async (network, signer) => {
    const { chain } = parseSettings(network)
    return publicKeyAddress(await signer.publicKey(treasuryKey(chain)), CHAINS[chain].prefixes)
  },
  // A payment usually costs a hundredth of this limit.
  feeBounds: (network) => ({ payment: parseSettings(network).maxFee, hour: 10n * parseSettings(network).maxFee }),
  domain: (network) => parseSettings(network).chain,
  holdsRealMoney: (network) => parseSettings(network).chain === 'main',
  open: async ({ network, signer, log, coins, spent }) =>
    adapterOf(await openChain(network, signer, log, coins ?? null, spent)),
}
