/**
 * Transactions as bytes: composed, signed by all signers, decoded. The legacy format is used, which every wallet
 * supports.
 */
import type { Address } from '@causeway/core'
import {
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  type Instruction,
  type Nonce,
  pipe,
  type ReadonlyUint8Array,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  type Transaction,
} from '@solana/kit'

/** The largest packet that validators forward: no transaction is longer. */
export const MAX_BYTES = 1_232

/** Composes a transaction that is valid for about a minute after that block. */
export function withBlockhash(payer: Address, hash: string, instructions: readonly Instruction[]): Transaction {
  return pipe(
    createTransactionMessage({ version: 'legacy' }),
    (message) => setTransactionMessageFeePayer(address(payer), message),
    // The validity period is information for senders; it is not part of the bytes.
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(hash), lastValidBlockHeight: 0n }, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  )
}

/**
 * Composes a transaction that is valid until the nonce account's value changes. Its first instruction changes the
 * value.
 */
export function withNonce(
  payer: Address,
  use: { account: Address; value: string },
  instructions: readonly Instruction[],
): Transaction {
  return pipe(
    createTransactionMessage({ version: 'legacy' }),
    (message) => setTransactionMessageFeePayer(address(payer), message),
    (message) =>
      setTransactionMessageLifetimeUsingDurableNonce(
        {
          nonce: use.value as Nonce,
          nonceAccountAddress: address(use.account),
          nonceAuthorityAddress: address(payer),
        },
        message,
      ),
    (message) => appendTransactionMessageInstructions(instructions, message),
    compileTransaction,
  )
}

export type Signatures = ReadonlyMap<string, ReadonlyUint8Array>

const SIGNATURE_BYTES = 64

/** The wire form of transactions; a missing signature is all zeros. */
export function wireBytes({ messageBytes, signatures }: Transaction, signed: Signatures = new Map()): Uint8Array {
  const signers = Object.keys(signatures)
  const wire = new Uint8Array(1 + signers.length * SIGNATURE_BYTES + messageBytes.length)
  // A count below 128 is one byte, and no transaction has room for more signatures.
  wire[0] = signers.length
  for (const [position, signer] of signers.entries()) {
    const signature = signed.get(signer)
    if (signature) wire.set(signature, 1 + position * SIGNATURE_BYTES)
  }
  wire.set(messageBytes, 1 + signers.length * SIGNATURE_BYTES)
  return wire
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
