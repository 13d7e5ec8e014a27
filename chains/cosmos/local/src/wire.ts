/**
 * Protobuf for the double, written independently of the adapter's, so that one mistake cannot be made on both sides.
 */

export type Field = { id: number; number: bigint; bytes: Buffer }

/** All fields in order. Throws if the bytes end inside one. */
export function fieldsOf(data: Buffer): Field[] {
  const fields: Field[] = []
  let offset = 0
  const uvarint = (): bigint => {
    let result = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[offset++]
      if (byte === undefined || shift > 63n) throw new Error('unexpected EOF')
      result += BigInt(byte % 128) << shift
      if (byte < 128) return result
    }
  }
  while (offset < data.length) {
    const tag = Number(uvarint())
    const [id, wire] = [Math.floor(tag / 8), tag % 8]
    if (wire === 0) {
      fields.push({ id, number: uvarint(), bytes: Buffer.alloc(0) })
    } else if (wire === 2) {
      const size = Number(uvarint())
      if (offset + size > data.length) throw new Error('unexpected EOF')
      fields.push({ id, number: 0n, bytes: data.subarray(offset, offset + size) })
      offset += size
    } else throw new Error(`wire type ${wire}`)
  }
  return fields
}

export function bytesAt(fields: readonly Field[], id: number): Buffer {
  return fields.findLast((field) => field.id === id)?.bytes ?? Buffer.alloc(0)
}

export function textAt(fields: readonly Field[], id: number): string {
  return bytesAt(fields, id).toString('utf8')
}

export function numberAt(fields: readonly Field[], id: number): bigint {
  return fields.findLast((field) => field.id === id)?.number ?? 0n
}

export function listAt(fields: readonly Field[], id: number): Buffer[] {
  return fields.filter((field) => field.id === id).map(({ bytes }) => bytes)
}

/** A field of bytes or text, even if it is empty. */
export function lengthField(id: number, content: Uint8Array | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
  return Buffer.concat([uvarintOf(BigInt(id * 8 + 2)), uvarintOf(BigInt(bytes.length)), bytes])
}

/** Like `lengthField`, but omitted if it is empty. */
export function optionalField(id: number, content: Uint8Array | string): Buffer {
  return content.length === 0 ? Buffer.alloc(0) : lengthField(id, content)
}

export function numberField(id: number, value: bigint): Buffer {
  return value === 0n ? Buffer.alloc(0) : Buffer.concat([uvarintOf(BigInt(id * 8)), uvarintOf(value)])
}

function uvarintOf(value: bigint): Buffer {
  const digits: number[] = []
  for (let rest = value; ; rest /= 128n) {
    const digit = Number(rest % 128n)
    if (rest < 128n) return Buffer.from([...digits, digit])
    digits.push(digit + 128)
  }
}
