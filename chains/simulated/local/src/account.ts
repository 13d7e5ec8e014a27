/** Accounts with their private keys, like a user's wallet: the devnet's users and the tests sign with them. */
import type { TestAccount } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { addressOf, sha256 } from '../../src/address.ts'
import { digestOf, encode, seal, type Transaction } from '../../src/transaction.ts'

export function accountFrom(label: string): TestAccount {
  const secret = sha256(`account ${label}`)
  return { address: addressOf(secp256k1.getPublicKey(secret)), secret }
}

/** A text signed by the account, in the form that the family's `verifyMessage` accepts. */
export function signText({ secret }: TestAccount, text: string): string {
  const signature = secp256k1.sign(sha256(text), secret).toCompactHex()
  return `${Buffer.from(secp256k1.getPublicKey(secret)).toString('hex')}.${signature}`
}

/** Signs a transaction with each of these accounts. Returns the bytes to send. */
export function signedBy(transaction: Transaction, ...accounts: readonly TestAccount[]): string {
  const digest = digestOf(transaction)
  const seals = accounts.map(({ secret }) =>
    seal(secp256k1.getPublicKey(secret), secp256k1.sign(digest, secret).toCompactRawBytes()),
  )
  return encode(transaction, seals)
}
