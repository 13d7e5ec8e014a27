/** Our keys: derivation paths of the hot wallet and the deposit addresses, and their addresses on this network. */
import type { Address, KeyRef, Signer } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { Settings } from '../settings.ts'

export function treasuryKey({ coinType }: Pick<Settings, 'coinType'>): KeyRef {
  return { curve: 'secp256k1', path: `m/44'/${coinType}'/0'/0/0` }
}

export function depositKey({ coinType }: Pick<Settings, 'coinType'>, index: number, branch = 0): KeyRef {
  return { curve: 'secp256k1', path: `m/44'/${coinType}'/${branch}'/1/${index}` }
}

export async function treasuryOf(signer: Signer, settings: Settings): Promise<Address> {
  return addressOfKey(signer, treasuryKey(settings), settings)
}

export async function depositAddress(
  signer: Signer,
  settings: Settings,
  index: number,
  branch?: number,
): Promise<Address> {
  return addressOfKey(signer, depositKey(settings, index, branch), settings)
}

async function addressOfKey(signer: Signer, key: KeyRef, settings: Settings): Promise<Address> {
  return addressOf(await signer.publicKey(key), settings.prefix, settings.key)
}
