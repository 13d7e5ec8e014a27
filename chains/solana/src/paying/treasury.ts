/** Our keys: the hot wallet, at the default path of Solana wallets, and one per deposit address. */
import { type Address, Bug, type KeyRef, type Signer } from '@causeway/core'
import { getAddressDecoder } from '@solana/kit'

export const TREASURY_KEY: KeyRef = { curve: 'ed25519', path: "m/44'/501'/0'/0'" }

/** The limit of hardened indexes. */
const MOST_INDEX = 2 ** 31 - 1

/**
 * The key of a deposit address. The last path element separates it from accounts that a wallet app derives from the
 * same phrase.
 */
export function depositKey(index: number, branch = 0): KeyRef {
  for (const number of [index, branch]) {
    if (!Number.isInteger(number) || number < 0 || number > MOST_INDEX)
      throw new Bug('no key has this number', { index, branch })
  }
  return { curve: 'ed25519', path: `m/44'/501'/${index}'/1'${branch === 0 ? '' : `/${branch}'`}` }
}

export function treasuryAddress(signer: Signer): Promise<Address> {
  return addressOf(signer, TREASURY_KEY)
}

/** On this chain the public key is the address. */
export async function addressOf(signer: Signer, key: KeyRef): Promise<Address> {
  const publicKey = await signer.publicKey(key)
  if (publicKey.length !== 32) throw new Bug('an ed25519 public key has 32 bytes', { length: publicKey.length })
  return getAddressDecoder().decode(publicKey)
}
