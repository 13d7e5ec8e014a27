/** Bytes in Fuel's encoding: hex with 0x, words of eight bytes, byte strings padded to whole words. */
import { createHash } from 'node:crypto'

const WORD = 8
export const ID_BYTES = 32

export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** Throws if it is not hex of whole bytes: `Buffer` would silently stop at the first invalid letter. */
export function bytesOf(hex: string): Buffer {
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(hex)) throw new TypeError('hex with 0x was expected')
  return Buffer.from(hex.slice(2), 'hex')
}

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export function word(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(WORD)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

export function padded(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & (WORD - 1))])
}

/** Reads from the front; throws if too few bytes are left. */
export interface Reader {
  word(): bigint
  /** A word that is a count or an offset: no larger than a block allows. */
  count(): number
  id(): string
  /** Reads `length` bytes, without the padding of the last word. */
  text(length: number): Buffer
  position(): number
}

const MOST = 2 ** 31

export function readerOf(bytes: Buffer): Reader {
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('the bytes end too early')
    at += length
    return bytes.subarray(at - length, at)
  }
  const nextWord = () => take(WORD).readBigUInt64BE()
  return {
    word: nextWord,
    count() {
      const value = nextWord()
      if (value >= MOST) throw new RangeError('a count is too large')
      return Number(value)
    },
    id: () => hexOf(take(ID_BYTES)),
    text: (length) => take(length + (-length & (WORD - 1))).subarray(0, length),
    position: () => at,
  }
}
