/** A fresh address that nobody holds the key of: where the demo's swaps go to, so that each balance is one swap's own. */
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import { type Address, Bug, type Signer } from '@causeway/core'
import type { Place } from './world.ts'

export function strangerOn({ network, family }: Pick<Place, 'network' | 'family'>): Promise<Address> {
  return family.treasury(network, nobody)
}

/** Every question is answered with another key; nothing is ever signed. */
const nobody: Signer = {
  async publicKey({ curve }) {
    if (curve === 'ed25519') {
      const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
      return Uint8Array.from(Buffer.from(x ?? '', 'base64url'))
    }
    // One coordinate of a point, or not: an address is made of it either way.
    if (curve === 'stark') return Uint8Array.from([0, ...randomBytes(31)])
    const pair = createECDH('secp256k1')
    pair.generateKeys()
    return Uint8Array.from(pair.getPublicKey(null, 'compressed'))
  },
  async sign() {
    throw new Bug('a stranger signs nothing')
  },
}
