/** The hot wallet: one key for every network of the family, so one address everywhere. */
import { type Address, Bug, type KeyRef, type Signer } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { addressInWord } from '../address.ts'
import { bytesToHex } from '../bytes.ts'

export const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/195'/0'/0/0" }

export async function treasuryAddress(signer: Signer): Promise<Address> {
  return keyAddress(await signer.publicKey(TREASURY_KEY))
}

function keyAddress(publicKey: Uint8Array): Address {
  return addressInWord(bytesToHex(keccak_256(secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1))))
}

/**
 * The signer of a digest, by r, s and a recovery byte of 0 or 1; null if the signature is invalid. A high s is accepted,
 * too: the transaction's hash does not cover the signature.
 */
export function signerOf(digest: Uint8Array, signature: Uint8Array): Address | null {
  const recovery = signature[64]
  if (signature.length !== 65 || (recovery !== 0 && recovery !== 1)) return null
  try {
    const read = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact').addRecoveryBit(recovery)
    return keyAddress(read.recoverPublicKey(digest).toBytes(true))
  } catch {
    return null
  }
}

/** Throws if another key signed: that would spend another account's money. */
export function assertOwn(treasury: Address, digest: Uint8Array, signature: Uint8Array): void {
  const signedBy = signerOf(digest, signature)
  if (signedBy !== treasury) throw new Bug('the signer used another key', { signedBy, treasury })
}
