/**
 * A signer for tests with keys from a seed: the same seed gives the same keys, addresses and signatures. It records the
 * intent of each signature, so that a test can prove what was signed and what was not.
 */
import { createHash } from 'node:crypto'
import { Bug, type KeyRef, type Signer, type SigningIntent } from '@causeway/core'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { groundKey, starkPublicKey, starkSign } from '../../../server/src/keys/curves/stark.ts'

export interface TestSigner extends Signer {
  readonly intents: readonly SigningIntent[]
}

export function testSigner(seed: string): TestSigner {
  const intents: SigningIntent[] = []
  return {
    intents,
    publicKey: async (key) => {
      const secret = secretOf(seed, key)
      if (key.curve === 'stark') return starkPublicKey(groundKey(secret))
      return key.curve === 'ed25519' ? ed25519.getPublicKey(secret) : secp256k1.getPublicKey(secret, true)
    },
    sign: async (key, digest, intent) => {
      // A read moves no money.
      if (!('read' in intent)) intents.push(intent)
      const secret = secretOf(seed, key)
      if (key.curve === 'stark') return starkSign(groundKey(secret), digest)
      return key.curve === 'ed25519' ? ed25519.sign(digest, secret) : signRecoverable(digest, secret)
    },
  }
}

/** r, s (the low one) and the recovery bit: 65 bytes. */
function signRecoverable(digest: Uint8Array, secret: Uint8Array): Uint8Array {
  if (digest.length !== 32) throw new Bug('secp256k1 signs 32 bytes', { length: digest.length })
  const signature = secp256k1.sign(digest, secret, { lowS: true })
  return Uint8Array.from([...signature.toCompactRawBytes(), signature.recovery])
}

function secretOf(seed: string, { curve, path }: KeyRef): Uint8Array {
  return createHash('sha256').update(`${seed}/${curve}/${path}`).digest()
}
