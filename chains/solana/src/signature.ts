/** Verifies ed25519 signatures of an address with Node's own crypto. */
import { createPublicKey, verify } from 'node:crypto'
import type { Address } from '@causeway/core'
import { getBase58Encoder, type ReadonlyUint8Array } from '@solana/kit'

/** DER prefix of a 32-byte key. */
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

export function isSignedBy(address: Address, signature: ReadonlyUint8Array, message: ReadonlyUint8Array): boolean {
  if (signature.length !== 64) return false
  const der = Buffer.concat([PUBLIC_PREFIX, Buffer.from(getBase58Encoder().encode(address))])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return verify(null, Buffer.from(message), key, Buffer.from(signature))
}
