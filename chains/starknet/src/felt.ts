/**
 * Numbers as this chain writes them: elements of a prime field, in hex. Nodes strip leading zeros and people do not, so
 * numbers are compared, not texts. Stored and shown values are padded to 64 digits.
 */

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n
const HALF = 128n
const HALF_BOUND = 1n << HALF

/** Decodes a felt from a node or our own code; throws if it is outside the field. */
export function felt(raw: unknown): bigint {
  if (typeof raw !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(raw)) throw new TypeError('a felt was expected')
  const value = BigInt(raw)
  if (value >= PRIME) throw new TypeError('a felt is below the prime')
  return value
}

/** A number in a node's form: hex without leading zeros. */
export function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}

/** The form in which addresses and hashes are stored and shown. */
export function padded(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** Encodes up to 31 characters as one number. */
export function shortString(text: string): bigint {
  if (!/^[ -~]{0,31}$/.test(text)) throw new TypeError('a short string has up to 31 plain letters')
  return [...text].reduce((value, letter) => value * 256n + BigInt(letter.charCodeAt(0)), 0n)
}

/** Splits a 256-bit number; the low half comes first. */
export function splitU256(units: bigint): [low: bigint, high: bigint] {
  if (units < 0n || units >> (2n * HALF) !== 0n) throw new RangeError('256 bits were expected')
  return [units % HALF_BOUND, units >> HALF]
}

/** Joins two halves; null if one exceeds 128 bits, which no contract writes. */
export function joinU256(low: bigint, high: bigint): bigint | null {
  return low < HALF_BOUND && high < HALF_BOUND ? low + (high << HALF) : null
}

export function bytes32(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
}

export function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
}
