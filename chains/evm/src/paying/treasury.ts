/** The hot wallet: one key for every network of the family, so one address everywhere. */
import type { Address, KeyRef, Signer } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1'
import { bytesToHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

export const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" }

export async function treasuryAddress(signer: Signer): Promise<Address> {
  const compressed = await signer.publicKey(TREASURY_KEY)
  return publicKeyToAddress(bytesToHex(secp256k1.ProjectivePoint.fromHex(compressed).toRawBytes(false)))
}
