/** A fresh address without a known key: recipients of demo swaps, so that each balance belongs to one swap. */
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import { type Address, Bug, type Signer } from '@causeway/core'
import type { Place } from './world.ts'

export function strangerOn({ network, family }: Pick<Place, 'network' | 'family'>): Promise<Address> {
  return family.treasury(network, nobody)
}

/** Returns another random key on every call; never signs. */
const nobody: Signer = {
  async publicKey({ curve }) {
    if (curve === 'ed25519') {
      const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
      return Uint8Array.from(Buffer.from(x ?? '', 'base64url'))
    }
    // Any number below the field size serves as a key here: no one needs its private key.
    if (curve === 'stark') return Uint8Array.from([0, ...randomBytes(31)])
    const pair = createECDH('secp256k1')
    pair.generateKeys()
    return Uint8Array.from(pair.getPublicKey(null, 'compressed'))
  },
  async sign() {
    throw new Bug('a stranger signs nothing')
  },
}
