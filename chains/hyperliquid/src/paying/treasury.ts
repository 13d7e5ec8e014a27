/**
 * Our keys: the hot wallet's is that of the EVM networks, so one address is ours on both; each deposit address has its
 * own.
 */
import type { Address, KeyRef, Signer } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { canonical } from '../address.ts'

export const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }

/**
 * The key of a deposit address. It is outside the account range that wallets enumerate, so no wallet uses it by chance.
 */
export function depositKey(index: number, branch = 0): KeyRef {
  return { curve: 'secp256k1', path: `m/44'/60'/1337'/${branch}/${index}` }
}

export async function addressOf(signer: Signer, key: KeyRef): Promise<Address> {
  const compressed = await signer.publicKey(key)
  return canonical(publicKeyToAddress(bytesToHex(secp256k1.Point.fromBytes(compressed).toBytes(false))))
}
