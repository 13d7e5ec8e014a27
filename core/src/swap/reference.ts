/**
 * A swap's sequence number: the reference that a deposit carries on chain. Families encode it in their own way. This
 * file defines the number itself and which texts are well-formed.
 */

/** Fits every carrier: eight bytes with the top bit clear, and a JSON integer that no client rounds. */
export const MAX_SEQUENCE = BigInt(Number.MAX_SAFE_INTEGER)

export function isSequence(value: bigint): boolean {
  return value > 0n && value <= MAX_SEQUENCE
}

/** Decimal text as a memo carries it: no sign, no leading zero, no space. */
export function parseDecimalSequence(text: string): bigint | null {
  return parse(text, /^[1-9]\d{0,15}$/, '')
}

/** Lower-case hex text without 0x or padding, as Bitcoin wallets push it. */
export function parseHexSequence(text: string): bigint | null {
  return parse(text, /^[1-9a-f][0-9a-f]{0,13}$/, '0x')
}

function parse(text: string, form: RegExp, prefix: string): bigint | null {
  if (!form.test(text)) return null
  const value = BigInt(prefix + text)
  return isSequence(value) ? value : null
}
