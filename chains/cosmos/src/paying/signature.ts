/** Whether a key signed a transaction: showing a public key proves nothing, a signature does. */
import type { Address } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Settings } from '../settings.ts'
import { digestOf, type Transaction } from '../transaction.ts'
import type { Part } from './slot.ts'

/** Length of a signature; some chains allow a recovery bit after it. */
const SIGNATURE_BYTES = 64

/**
 * Whether the key signed exactly this content with this sequence, in this family's sign mode; other modes prove
 * nothing.
 */
export function isSignedWith(
  settings: Pick<Settings, 'chainId' | 'key'>,
  { signers, signed: { body, auth, signatures } }: Transaction,
  part: Part,
  accountNumber: bigint,
): boolean {
  const digest = digestOf(body, auth, settings, accountNumber)
  return signers.some(({ address, publicKey, sequence }, at) => {
    if (!publicKey || !isPart({ address, sequence }, part)) return false
    try {
      const signature = Uint8Array.from(signatures[at] ?? []).subarray(0, SIGNATURE_BYTES)
      return secp256k1.verify(signature, digest, publicKey, { prehash: false, lowS: false })
    } catch {
      return false
    }
  })
}

export function isPart({ address, sequence }: { address: Address | null; sequence: bigint }, part: Part): boolean {
  return address === part.address && sequence === part.sequence
}
