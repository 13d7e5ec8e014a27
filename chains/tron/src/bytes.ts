/** Hex and protobuf, as far as Tron's messages need them: only varints and byte strings. */
import { concatBytes } from '@noble/hashes/utils.js'

export { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'

export interface Field {
  field: number
  value: bigint | Uint8Array
}

/** Encodes a number; zero is omitted, as protobuf encoders do. */
export function number(field: number, value: bigint): Uint8Array {
  if (value === 0n) return NOTHING
  return concatBytes(varint(BigInt(field) << 3n), varint(BigInt.asUintN(64, value)))
}

/** Encodes a byte string or a message; an empty one is omitted. */
export function bytes(field: number, value: Uint8Array): Uint8Array {
  return value.length === 0 ? NOTHING : part(field, value)
}

/** Like `bytes`, for a list element, which may be empty. */
export function part(field: number, value: Uint8Array): Uint8Array {
  return concatBytes(varint((BigInt(field) << 3n) | 2n), varint(BigInt(value.length)), value)
}

const NOTHING = new Uint8Array()

function varint(value: bigint): Uint8Array {
  const out: number[] = []
  let rest = value
  while (rest > 0x7fn) {
    out.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  out.push(Number(rest))
  return Uint8Array.from(out)
}

/** All fields in order. Throws if the bytes are not a message. */
export function fieldsOf(data: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const next = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[at++]
      if (byte === undefined) throw new TypeError('the message ends too soon')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new TypeError('a number is too long')
  }
  const take = (length: number): Uint8Array => {
    if (at + length > data.length) throw new TypeError('the message ends too soon')
    at += length
    return data.subarray(at - length, at)
  }
  while (at < data.length) {
    const tag = Number(next())
    const [field, wire] = [tag >>> 3, tag & 7]
    if (wire === 0) fields.push({ field, value: next() })
    else if (wire === 2) fields.push({ field, value: take(Number(next())) })
    else if (wire === 1) fields.push({ field, value: take(8) })
    else if (wire === 5) fields.push({ field, value: take(4) })
    else throw new TypeError('an unknown kind of field')
  }
  return fields
}

/** A numeric field; if it is repeated, the last one counts, as in the nodes. */
export function numberIn(fields: readonly Field[], field: number): bigint {
  const value = fields.findLast((one) => one.field === field)?.value ?? 0n
  if (typeof value !== 'bigint') throw new TypeError('a number was expected')
  return BigInt.asIntN(64, value)
}

export function bytesIn(fields: readonly Field[], field: number): Uint8Array {
  const value = fields.findLast((one) => one.field === field)?.value ?? NOTHING
  if (typeof value === 'bigint') throw new TypeError('bytes were expected')
  return value
}
