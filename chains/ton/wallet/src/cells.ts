/** TON cells, as far as wallets need them: bits and references, serialised as a bag of cells in base64. */

export interface Cell {
  /** The bits as zeros and ones, in order. */
  bits: string
  refs: readonly Cell[]
}

const MOST_BITS = 1023
/** Limit of a bag: sizes are written in one byte. */
const MOST_BYTES = 255

export function bitsOf(value: bigint, size: number): string {
  return value.toString(2).padStart(size, '0')
}

/** An amount of coins: its length in bytes, then the bytes. */
export function coins(units: bigint): string {
  const bytes = Math.ceil(units.toString(16).length / 2)
  return units === 0n ? '0000' : bitsOf(BigInt(bytes), 4) + bitsOf(units, bytes * 8)
}

/** A text comment: four zero bytes, then UTF-8. */
export function comment(text: string): Cell {
  const letters = [...new TextEncoder().encode(text)].map((byte) => bitsOf(BigInt(byte), 8))
  return cell(`${'0'.repeat(32)}${letters.join('')}`)
}

export function cell(bits: string, refs: readonly Cell[] = []): Cell {
  // A longer text would need a reference; ours is a number.
  if (bits.length > MOST_BITS) throw new RangeError('too much for one cell')
  return { bits, refs }
}

/** Serialises a root and its references, one level deep: our cells have no more. */
export function bagOf(root: Cell): string {
  const cells = [root, ...root.refs]
  if (root.refs.some(({ refs }) => refs.length > 0)) throw new RangeError('too deep')
  const body = cells.flatMap((one) => [
    one.refs.length,
    ...bytesOf(one.bits),
    ...one.refs.map((ref) => cells.indexOf(ref)),
  ])
  if (body.length > MOST_BYTES) throw new RangeError('too much for a small bag')
  // The header: magic, flags (sizes in one byte), offsets in one byte, number of cells, one root, none absent, length,
  // the root's index.
  const bag = [0xb5, 0xee, 0x9c, 0x72, 0x01, 0x01, cells.length, 0x01, 0x00, body.length, 0x00, ...body]
  return btoa(String.fromCharCode(...bag))
}

/** The second descriptor, and the bits in whole bytes: a 1 marks the end if it is not at a byte boundary. */
function bytesOf(bits: string): number[] {
  const isWhole = bits.length % 8 === 0
  const full = isWhole ? bits : `${bits}1`.padEnd(Math.ceil((bits.length + 1) / 8) * 8, '0')
  const bytes = full.match(/.{8}/g) ?? []
  return [Math.floor(bits.length / 8) + Math.ceil(bits.length / 8), ...bytes.map((byte) => Number.parseInt(byte, 2))]
}
