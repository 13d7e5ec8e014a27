/** Verifies public keys and signatures that come from another process or from KMS. */
import type { KeyRef } from '@causeway/core'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { isStarkPublicKey, isStarkSignature } from './stark.ts'

const SECP256K1_DIGEST_BYTES = 32

/**
 * Whether these bytes are a valid signature by this key, in the form that `core/src/port` defines: secp256k1 as r, low
 * s and recovery bit; the other curves as 64 bytes.
 */
export function isSignature(
  curve: KeyRef['curve'],
  signature: Uint8Array,
  digest: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  try {
    if (curve === 'stark') return isStarkSignature(signature, digest, publicKey)
    if (curve === 'ed25519') return signature.length === 64 && ed25519.verify(signature, digest, publicKey)
    const recovery = signature[64]
    if (signature.length !== 65 || digest.length !== SECP256K1_DIGEST_BYTES) return false
    if (recovery !== 0 && recovery !== 1) return false
    const compact = signature.subarray(0, 64)
    if (!secp256k1.verify(compact, digest, publicKey, { prehash: false, lowS: true })) return false
    const recovered = secp256k1.Signature.fromBytes(compact, 'compact').addRecoveryBit(recovery)
    return Buffer.from(recovered.recoverPublicKey(digest).toBytes(true)).equals(publicKey)
  } catch {
    return false
  }
}

/**
 * Whether these bytes can be a public key in the form that `core/src/port` defines: a compressed secp256k1 point, or 32
 * bytes of the other curves.
 */
export function isPublicKey(curve: KeyRef['curve'], bytes: Uint8Array): boolean {
  if (curve === 'stark') return isStarkPublicKey(bytes)
  try {
    if (curve === 'ed25519') ed25519.Point.fromBytes(bytes)
    else secp256k1.Point.fromBytes(bytes)
    return bytes.length === (curve === 'ed25519' ? 32 : 33)
  } catch {
    return false
  }
}
