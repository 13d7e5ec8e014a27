/**
 * Signs a transaction that spends P2WPKH outputs (BIP 143), each with its own key, and allows it to be replaced (BIP
 * 125).
 */
import { Bug, type KeyRef, type SignedTransfer, type Signer, type SigningIntent } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { SigHash, Transaction } from '@scure/btc-signer'
import { publicKeyScript } from '../address.ts'
import type { Outpoint, Output } from '../transaction.ts'

export interface SigningInput extends Outpoint {
  units: bigint
  key: KeyRef
}

/** The highest sequence that signals replace-by-fee and sets no time lock. */
const REPLACEABLE = 0xfffffffd

export async function signTransaction(job: {
  inputs: readonly SigningInput[]
  outputs: readonly Output[]
  signer: Signer
  intent: SigningIntent
}): Promise<SignedTransfer> {
  const { inputs, outputs, signer, intent } = job
  const publicKeys = await Promise.all(inputs.map(({ key }) => signer.publicKey(key)))
  // Outputs are built from checked addresses; the library need not know their type.
  const transaction = new Transaction({ version: 2, allowUnknownOutputs: true })
  for (const [position, { txid, vout, units }] of inputs.entries()) {
    const script = publicKeyScript(publicKeys[position] ?? new Uint8Array())
    transaction.addInput({ txid, index: vout, sequence: REPLACEABLE, witnessUtxo: { script, amount: units } })
  }
  for (const { script, units } of outputs) transaction.addOutput({ script, amount: units })
  for (const [position, { units, key }] of inputs.entries()) {
    const publicKey = publicKeys[position] ?? new Uint8Array()
    const digest = digestOf(transaction, position, publicKey, units)
    const signature = derOf(await signer.sign(key, digest, intent), digest, publicKey)
    transaction.updateInput(position, {
      partialSig: [[publicKey, Uint8Array.from([...signature, SigHash.ALL])]],
    })
  }
  transaction.finalize()
  return { hash: transaction.id, bytes: transaction.hex }
}

/** The digest of one input: it commits to every input and output and to the amount of this UTXO. */
export function digestOf(transaction: Transaction, position: number, publicKey: Uint8Array, units: bigint): Uint8Array {
  const hash = publicKeyScript(publicKey).subarray(2)
  const scriptCode = Uint8Array.from([0x76, 0xa9, hash.length, ...hash, 0x88, 0xac])
  return transaction.preimageWitnessV0(position, scriptCode, SigHash.ALL, units)
}

/** Converts the signer's r, s and recovery byte to DER, after verifying that it is this key's signature with low s. */
export function derOf(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const compact = signature.subarray(0, 64)
  const isGood = signature.length === 65 && secp256k1.verify(compact, digest, publicKey, { prehash: false, lowS: true })
  if (!isGood) throw new Bug('not a low-s signature of this key', { length: signature.length })
  return secp256k1.Signature.fromBytes(compact, 'compact').toBytes('der')
}
