/**
 * A transaction of the simulated chain: a sender that pays the fee and supplies a nonce, and any number of moves,
 * signed by every account whose money moves. The hash covers the content but not the signatures, so the same
 * transaction cannot get a second hash.
 */
import type { Address, TxHash } from '@causeway/core'
import { sha256 } from './address.ts'

export interface Move {
  from: Address
  to: Address
  /** The token's contract; null for the native token. */
  contract: string | null
  units: bigint
}

export interface Transaction {
  network: string
  account: Address
  nonce: bigint
  /** The whole fee in native units, charged whether the transaction succeeds or reverts. */
  fee: bigint
  memo: string | null
  moves: readonly Move[]
}

export interface Seal {
  /** The compressed public key, in hex. */
  publicKey: string
  /** r and s, in hex. */
  signature: string
}

export interface SealedTransaction extends Transaction {
  hash: TxHash
  seals: readonly Seal[]
}

/** The signed digest is the SHA-256 of the content, which is also the transaction's hash. */
export function digestOf(transaction: Transaction): Uint8Array {
  return Buffer.from(hashOf(transaction), 'hex')
}

export function hashOf(transaction: Transaction): TxHash {
  return sha256(contentOf(transaction))
}

export function encode(transaction: Transaction, seals: readonly Seal[]): string {
  return JSON.stringify([contentOf(transaction), seals.map(({ publicKey, signature }) => [publicKey, signature])])
}

/** Null if the bytes are not exactly one valid transaction. */
export function decode(bytes: string): SealedTransaction | null {
  try {
    const [content, seals] = JSON.parse(bytes) as [string, [string, string][]]
    const [network, account, nonce, fee, memo, moves] = JSON.parse(content) as Content
    const transaction = {
      network,
      account,
      nonce: BigInt(nonce),
      fee: BigInt(fee),
      memo,
      moves: moves.map(([from, to, contract, units]) => ({ from, to, contract, units: BigInt(units) })),
    }
    const sealed = {
      ...transaction,
      hash: hashOf(transaction),
      seals: seals.map(([publicKey, signature]) => ({ publicKey, signature })),
    }
    return encode(sealed, sealed.seals) === bytes ? sealed : null
  } catch {
    return null
  }
}

/** Converts a signature to this chain's form. It may have a recovery byte, which this chain ignores. */
export function seal(publicKey: Uint8Array, signature: Uint8Array): Seal {
  return {
    publicKey: Buffer.from(publicKey).toString('hex'),
    signature: Buffer.from(signature.subarray(0, 64)).toString('hex'),
  }
}

type Content = [string, string, string, string, string | null, [string, string, string | null, string][]]

function contentOf({ network, account, nonce, fee, memo, moves }: Transaction): string {
  const content: Content = [
    network,
    account,
    nonce.toString(),
    fee.toString(),
    memo,
    moves.map(({ from, to, contract, units }) => [from, to, contract, units.toString()]),
  ]
  return JSON.stringify(content)
}
