/** Who may move what: a transaction counts only where everybody whose money it moves has sealed it. */
import type { Address } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { addressOf } from '../../src/address.ts'
import { digestOf, type Seal, type SealedTransaction } from '../../src/transaction.ts'

/** Whether the account and everybody whose money moves has signed exactly this. */
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
