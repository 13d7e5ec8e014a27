/**
 * A swap's reference: the number by which a deposit on chain names its swap; `sequence_number` in the API. It is random, so
 * that a reference of a swap that a rolled-back database has lost is never given to another swap. Families encode it in
 * their own way. This file draws the number and says which texts are well-formed.
 */

/**
 * The largest reference: it fits into eight bytes with the top bit clear, and into a JSON integer that no client
 * rounds.
 */
export const MAX_REFERENCE = BigInt(Number.MAX_SAFE_INTEGER)
/** The bits of a reference, unless its network carries fewer. */
export const REFERENCE_BITS = 53

/** Far more random bytes than a reference has, so that the remainder of the division is close to uniform. */
const DRAWN_BYTES = 16

/**
 * Draws a number from 1 to 2 ** bits - 1. `randomBytes` must be unpredictable: anyone who knows a reference can pay for
 * its swap.
 */
export function drawReference(randomBytes: (size: number) => Uint8Array, bits = REFERENCE_BITS): bigint {
  const drawn = randomBytes(DRAWN_BYTES).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return 1n + (drawn % (2n ** BigInt(bits) - 1n))
}

/**
 * Whether references may repeat after the database lost some. With 1,000 lost and 1,000 new ones the chance is 1 in 270
 * at 28 bits, and 1 in 9 thousand million at 53. Networks with short references also compare senders.
 */
export function mayRepeat(bits = REFERENCE_BITS): boolean {
  return bits < REFERENCE_BITS
}

export function isReference(value: bigint): boolean {
  return value > 0n && value <= MAX_REFERENCE
}

/** Parses a decimal reference from a memo: no sign, no leading zero, no space. */
export function parseDecimalReference(text: string): bigint | null {
  return parse(text, /^[1-9]\d{0,15}$/, '')
}

/** Parses a hexadecimal reference as Bitcoin wallets push it: lower case, without 0x or padding. */
export function parseHexReference(text: string): bigint | null {
  return parse(text, /^[1-9a-f][0-9a-f]{0,13}$/, '0x')
}

function parse(text: string, form: RegExp, prefix: string): bigint | null {
  if (!form.test(text)) return null
  const value = BigInt(prefix + text)
  return isReference(value) ? value : null
}
