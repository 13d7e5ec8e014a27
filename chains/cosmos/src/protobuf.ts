/**
 * Protobuf as far as this family needs it. Fields are written in the given order and zero ones omitted, like the
 * chain's own encoder, because these bytes are signed. Decoding keeps every field by its number.
 */

/** A field to write: a number, bytes, a text, or a list of them. */
type Value = bigint | number | Uint8Array | string | readonly (Uint8Array | string)[]

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5
const MOST_UINT64 = (1n << 64n) - 1n
/** Limit of fields: the input is untrusted, and no useful message has as many. */
const MOST_FIELDS = 10_000

export function writeFields(fields: Readonly<Record<number, Value | null>>): Uint8Array {
  const parts: Uint8Array[] = []
  for (const [number, value] of Object.entries(fields)) {
    if (value === null) continue
    const key = Number(number)
    if (typeof value === 'bigint' || typeof value === 'number') {
      if (BigInt(value) !== 0n) parts.push(varint(BigInt((key << 3) | VARINT)), varint(BigInt(value)))
      continue
    }
    // A single empty value is omitted; every element of a list is written.
    const items = typeof value === 'string' || value instanceof Uint8Array ? (value.length > 0 ? [value] : []) : value
    for (const item of items) {
      const bytes = typeof item === 'string' ? Buffer.from(item, 'utf8') : item
      parts.push(varint(BigInt((key << 3) | BYTES)), varint(BigInt(bytes.length)), bytes)
    }
  }
  return Uint8Array.from(Buffer.concat(parts))
}

function varint(value: bigint): Uint8Array {
  if (value < 0n || value > MOST_UINT64) throw new RangeError('a number of 64 bits was expected')
  const bytes: number[] = []
  let rest = value
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

/** A decoded message. */
export interface Fields {
  bytes(number: number): Uint8Array
  text(number: number): string
  uint(number: number): bigint
  all(number: number): Uint8Array[]
}

/** Throws if the bytes are not a message. */
export function readFields(data: Uint8Array): Fields {
  const found = new Map<number, (bigint | Uint8Array)[]>()
  let count = 0
  for (let at = 0; at < data.length; ) {
    const key = readVarint(data, at)
    const number = Number(key.value >> 3n)
    const [value, next] = readValue(data, key.next, Number(key.value & 7n))
    if (number === 0) throw new RangeError('a field without a number')
    if (++count > MOST_FIELDS) throw new RangeError('more fields than a message has')
    const known = found.get(number)
    if (known) known.push(value)
    else found.set(number, [value])
    at = next
  }
  const last = (number: number) => found.get(number)?.at(-1)
  const all = (number: number) =>
    (found.get(number) ?? []).map((value) => {
      if (typeof value === 'bigint') throw new RangeError(`field ${number} is a number`)
      return value
    })
  const bytes = (number: number) => all(number).at(-1) ?? new Uint8Array()
  return {
    all,
    bytes,
    text: (number) => utf8(bytes(number)),
    uint(number) {
      const value = last(number) ?? 0n
      if (typeof value !== 'bigint') throw new RangeError(`field ${number} is no number`)
      return value
    },
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Throws if it is not UTF-8. */
function utf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

function readValue(data: Uint8Array, at: number, wire: number): [bigint | Uint8Array, number] {
  if (wire === VARINT) {
    const { value, next } = readVarint(data, at)
    return [value, next]
  }
  const { start, length } =
    wire === BYTES
      ? lengthAt(data, at)
      : wire === FIXED64
        ? { start: at, length: 8 }
        : wire === FIXED32
          ? { start: at, length: 4 }
          : { start: at, length: Number.POSITIVE_INFINITY }
  if (start + length > data.length) throw new RangeError('a field goes beyond its message')
  return [data.subarray(start, start + length), start + length]
}

function lengthAt(data: Uint8Array, at: number): { start: number; length: number } {
  const { value, next } = readVarint(data, at)
  return { start: next, length: Number(value) }
}

function readVarint(data: Uint8Array, start: number): { value: bigint; next: number } {
  let value = 0n
  for (let at = start, shift = 0n; at < data.length && shift < 70n; at++, shift += 7n) {
    const byte = data[at] ?? 0
    value |= BigInt(byte & 127) << shift
    if (byte < 128) return { value: value & MOST_UINT64, next: at + 1 }
  }
  throw new RangeError('a number without an end')
}
