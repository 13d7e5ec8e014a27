/**
 * How a deposit carries a swap's reference: in an OP_RETURN output next to the payment. Wallets push the number as
 * lower-case hex text; some add a `;tail`, some push the bare bytes. A payload is read as text or as bytes and never as
 * both, so no memo can mean two references.
 */
import { transferAction } from '@causeway/chain-kit'
import { type DepositAction, type DepositRequest, isReference, parseHexReference } from '@causeway/core'
import type { Output } from '../transaction.ts'

/** Limit of a memo: nodes relayed no more for years, and wallets refuse to write more. */
const MAX_MEMO_BYTES = 80
const OP_RETURN = 0x6a
const OP_PUSHDATA1 = 0x4c
const OP_1 = 0x51
const OP_16 = 0x60
/** Longer numbers exceed any reference. */
const MAX_NUMBER_BYTES = 7

export function depositAction(request: DepositRequest): DepositAction {
  return transferAction(request)
}

/** The OP_RETURN script that a wallet makes from the call data of a deposit action. */
export function memoScript(callData: string): Uint8Array {
  const text = new TextEncoder().encode(BigInt(callData).toString(16))
  return Uint8Array.from([OP_RETURN, text.length, ...text])
}

/** The one reference that these outputs carry; null if they carry none, or several that differ. */
export function referenceIn(outputs: readonly Output[]): bigint | null {
  const payloads = outputs.map(({ script }) => payloadOf(script)).filter((payload) => payload !== null)
  const numbers = new Set(payloads.map(numberIn).filter((number) => number !== null))
  const [only, ...more] = numbers
  return only !== undefined && more.length === 0 ? only : null
}

/**
 * The reference in a memo. Printable text is read only as text: `0aa` is not a reference, nor the three bytes 30 61 61,
 * and an unrelated "hello" names no swap. Bytes are a reference only if they could not be text.
 */
export function numberIn(payload: Uint8Array): bigint | null {
  if (payload.length === 0 || payload.length > MAX_MEMO_BYTES) return null
  const text = textNumber(payload)
  const bytes = payload.every(isPrintable) ? null : bytesNumber(payload)
  return text !== null && bytes !== null ? null : (text ?? bytes)
}

/** The single push after an OP_RETURN; null if the script is another one. */
function payloadOf(script: Uint8Array): Uint8Array | null {
  const [first, push, length] = script
  if (first !== OP_RETURN || push === undefined) return null
  if (push >= OP_1 && push <= OP_16 && script.length === 2) return Uint8Array.of(push - OP_1 + 1)
  if (push < OP_PUSHDATA1 && script.length === 2 + push) return script.subarray(2)
  if (push === OP_PUSHDATA1 && length !== undefined && script.length === 3 + length) return script.subarray(3)
  return null
}

function textNumber(payload: Uint8Array): bigint | null {
  const [head = ''] = Buffer.from(payload).toString('latin1').split(';', 1)
  return parseHexReference(head)
}

/** Decodes a big-endian number without leading zeros. */
function bytesNumber(payload: Uint8Array): bigint | null {
  if (payload.length > MAX_NUMBER_BYTES || payload[0] === 0) return null
  const number = BigInt(`0x${Buffer.from(payload).toString('hex')}`)
  return isReference(number) ? number : null
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte <= 0x7e
}
