/** The local chain's users: plain, well-known keys made from a name, which any wallet of the family imports in hex. */
import { createHash } from 'node:crypto'
import type { Address, Network } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { addressOf } from '../../src/address.ts'
import { parseSettings } from '../../src/settings.ts'

export interface LocalAccount {
  /** In hex. */
  secret: string
  publicKey: Uint8Array
  /** Signs a digest of 32 bytes. */
  sign(digest: Uint8Array): Uint8Array
}

/** Creates an account: the same name gives the same key on every machine. */
export function accountNamed(name: string): LocalAccount {
  return accountFrom(createHash('sha256').update(`causeway local ${name}`).digest('hex'))
}

export function accountFrom(secret: string): LocalAccount {
  const key = Uint8Array.from(Buffer.from(secret, 'hex'))
  return {
    secret,
    publicKey: secp256k1.getPublicKey(key, true),
    sign: (digest) => secp256k1.sign(digest, key, { prehash: false, lowS: true }),
  }
}

/** The account's address on this chain; each chain has its own prefix. */
export function addressOn(network: Network, { publicKey }: LocalAccount): Address {
  const { prefix, key } = parseSettings(network)
  return addressOf(publicKey, prefix, key)
}
