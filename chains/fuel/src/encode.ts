/**
 * Encodes a transaction and computes its id: the hash of the chain id and of the bytes without the witnesses and
 * without fields that are only known in a block (roots, pointers, change). Keys sign the id.
 */
import { bytesOf, hexOf, ID_BYTES, padded, sha256, word } from './bytes.ts'
import { INPUT, type Input, KIND, OUTPUT, type Output, type Transaction } from './transaction.ts'

export function encodeTransaction(transaction: Transaction): string {
  return hexOf(encoded(transaction, false))
}

export function idOf(transaction: Transaction, chainId: bigint): string {
  return hexOf(sha256(word(chainId), encoded(transaction, true)))
}

const ZERO_ID = Buffer.alloc(ID_BYTES)
/** Sizes of the gas limit and the receipts root at the start of a script. */
const GAS_BYTES = 8

function encoded({ kind, head, body, policies, inputs, outputs, witnesses }: Transaction, forId: boolean): Buffer {
  const isScript = kind === KIND.script
  const front =
    forId && isScript
      ? Buffer.concat([head.subarray(0, GAS_BYTES), ZERO_ID, head.subarray(GAS_BYTES + ID_BYTES)])
      : head
  return Buffer.concat([
    word(kind),
    front,
    word(policies.reduce((bits, [bit]) => bits + bit, 0)),
    word(inputs.length),
    word(outputs.length),
    word(forId ? 0 : witnesses.length),
    body,
    ...policies.map(([, value]) => word(value)),
    ...inputs.flatMap(inputBytes),
    ...outputs.flatMap((output) => outputBytes(output, forId)),
    ...(forId ? [] : witnesses.flatMap((witness) => [word(witness.length), padded(witness)])),
  ])
}

/** Pointers and predicate gas are not kept: wallets leave them zero, and they are not part of the id. */
function inputBytes(input: Input): Uint8Array[] {
  if (input.type === 'contract') {
    const empty = [ZERO_ID, word(0), ZERO_ID, ZERO_ID, word(0), word(0)]
    return [word(INPUT.contract), ...empty, bytesOf(input.contract)]
  }
  const { predicate, predicateData } = input
  const sizes = [word(predicate.length), word(predicateData.length)]
  const texts = [padded(predicate), padded(predicateData)]
  if (input.type === 'coin') {
    const { txId, index, owner, units, asset, witnessIndex } = input
    const coin = [bytesOf(txId), word(index), bytesOf(owner), word(units), bytesOf(asset)]
    return [word(INPUT.coin), ...coin, word(0), word(0), word(witnessIndex), word(0), ...sizes, ...texts]
  }
  const { sender, recipient, units, nonce, witnessIndex, data } = input
  const message = [bytesOf(sender), bytesOf(recipient), word(units), bytesOf(nonce), word(witnessIndex), word(0)]
  return [word(INPUT.message), ...message, word(data.length), ...sizes, padded(data), ...texts]
}

function outputBytes(output: Output, forId: boolean): Uint8Array[] {
  if (output.type === 'contract') return [word(OUTPUT.contract), word(output.inputIndex), ZERO_ID, ZERO_ID]
  if (output.type === 'created') return [word(OUTPUT.created), bytesOf(output.contract), bytesOf(output.stateRoot)]
  const { type, to, units, asset } = output
  if (forId && type === 'variable') return [word(OUTPUT.variable), ZERO_ID, word(0), ZERO_ID]
  const amount = forId && type === 'change' ? 0n : units
  return [word(OUTPUT[type]), bytesOf(to), word(amount), bytesOf(asset)]
}

/** A script and its data, as the head and body of a transaction. */
export function scriptParts(
  script: Uint8Array,
  data: Uint8Array,
  gasLimit: bigint,
): Pick<Transaction, 'head' | 'body'> {
  return {
    head: Buffer.concat([word(gasLimit), ZERO_ID, word(script.length), word(data.length)]),
    body: Buffer.concat([padded(script), padded(data)]),
  }
}
