/** Decodes a node's answers: 64-bit numbers come as text, hashes in hex, everything else in base64. */
import { asArray, optional, asString as text } from '@causeway/chain-kit'

export { asObject as record, asString as text } from '@causeway/chain-kit'

/** A list; null means an empty one. */
export function list(raw: unknown): unknown[] {
  return optional(asArray)(raw) ?? []
}

/** Text that nodes omit if it is empty. */
export function textOr(raw: unknown, fallback: string): string {
  return optional(text)(raw) ?? fallback
}

export function uint(raw: unknown): bigint {
  if (typeof raw === 'number' && Number.isSafeInteger(raw) && raw >= 0) return BigInt(raw)
  if (typeof raw !== 'string' || !/^\d{1,20}$/.test(raw)) throw new TypeError('a whole number was expected')
  return BigInt(raw)
}

export function uintOr(raw: unknown, fallback: bigint): bigint {
  return raw === undefined || raw === null || raw === '' ? fallback : uint(raw)
}

export function hexBytes(raw: unknown): Uint8Array {
  const written = textOr(raw, '')
  if (!/^([0-9a-fA-F]{2})*$/.test(written)) throw new TypeError('hex was expected')
  return Uint8Array.from(Buffer.from(written, 'hex'))
}

export function base64Bytes(raw: unknown): Uint8Array {
  return Uint8Array.from(Buffer.from(textOr(raw, ''), 'base64'))
}

/** Parses a time to the nanosecond, which a header's hash covers. */
export function time(raw: unknown): { seconds: bigint; nanos: number } {
  const [, moment, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text(raw)) ?? []
  const milliseconds = Date.parse(`${moment}Z`)
  if (!Number.isFinite(milliseconds)) throw new TypeError('a time was expected')
  return { seconds: BigInt(milliseconds / 1_000), nanos: Number(fraction.padEnd(9, '0')) }
}
