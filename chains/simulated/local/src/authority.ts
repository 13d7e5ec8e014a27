/** Authorisation: a transaction is valid only if every account whose money it moves has signed it. */
import type { Address } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { addressOf } from '../../src/address.ts'
import { digestOf, type Seal, type SealedTransaction } from '../../src/transaction.ts'

/** Whether the sender and every account whose money moves have signed exactly this transaction. */
export function isAuthorised(sealed: SealedTransaction): boolean {
  const digest = digestOf(sealed)
  const signers = new Set(sealed.seals.filter((one) => isGenuine(one, digest)).map(signerOf))
  return [sealed.account, ...sealed.moves.map(({ from }) => from)].every((address) => signers.has(address))
}

function signerOf({ publicKey }: Seal): Address {
  return addressOf(Buffer.from(publicKey, 'hex'))
}

function isGenuine({ publicKey, signature }: Seal, digest: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, digest, publicKey)
  } catch {
    return false
  }
}
