/** Fuel's signatures: r and s in 64 bytes, with the low s, and the parity of R's y in its highest bit. */
import { type Address, Bug } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keyAddress } from './address.ts'

const SIGNATURE_BYTES = 64
const S_START = 32

/** The signer's r, s and recovery byte, after a check that it is this key's signature in the low form. */
export function compactOf(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const compact = Uint8Array.from(signature.subarray(0, SIGNATURE_BYTES))
  const recovery = signature[SIGNATURE_BYTES] ?? 255
  const isGood =
    signature.length === SIGNATURE_BYTES + 1 &&
    recovery <= 1 &&
    secp256k1.verify(compact, digest, publicKey, { prehash: false, lowS: true })
  if (!isGood) throw new Bug('not a low-s signature of this key', { length: signature.length })
  compact[S_START] = (compact[S_START] ?? 0) | (recovery << 7)
  if (signerOf(compact, digest) !== keyAddress(publicKey)) throw new Bug('the signature names another key')
  return compact
}

/** The signer of this digest; null if the signature is invalid. */
export function signerOf(signature: Uint8Array, digest: Uint8Array): Address | null {
  if (signature.length !== SIGNATURE_BYTES) return null
  const bytes = Uint8Array.from(signature)
  const high = bytes[S_START] ?? 0
  bytes[S_START] = high & 0x7f
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes, 'compact').addRecoveryBit(high >> 7)
    return parsed.hasHighS() ? null : keyAddress(parsed.recoverPublicKey(digest).toBytes(true))
  } catch {
    // An unreadable signature is invalid.
    return null
  }
}
