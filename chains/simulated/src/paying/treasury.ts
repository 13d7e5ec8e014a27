/** Our keys: derivation paths of the hot wallet and the deposit addresses. */
import type { Address, KeyRef, Signer } from '@causeway/core'
import { addressOf } from '../address.ts'

/**
 * Coin type 1 is the test network of every coin. The simulated networks share their keys, and each signature names its
 * network.
 */
export const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/1'/0'/0/0" }

export function depositKey(index: number, branch = 0): KeyRef {
  return { curve: 'secp256k1', path: `m/44'/1'/1'/${branch}/${index}` }
}

export async function treasuryOf(signer: Signer): Promise<Address> {
  return addressOf(await signer.publicKey(TREASURY_KEY))
}
