/** Decoders for JSON from outside: each returns the expected kind or throws. */
import { asUint as integer } from '@causeway/chain-kit'

export { asArray as list, asString as text, asUint as integer, nullable } from '@causeway/chain-kit'

export type Fields = Record<string, unknown>

export function fieldsOf(raw: unknown): Fields {
  if (typeof raw !== 'object' || raw === null) throw new TypeError('an object was expected')
  return raw as Fields
}

/** The data of an answer: most answers contain the slot at which they were read, and the data under `value`. */
export function answerOf(raw: unknown): unknown {
  return fieldsOf(raw).value
}

export function slot(raw: unknown): bigint {
  return BigInt(integer(raw))
}

export function lamports(raw: unknown): bigint {
  return BigInt(integer(raw))
}
