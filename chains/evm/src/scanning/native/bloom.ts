/**
 * A block's bloom filter shows which contracts and topics its logs may have; its "no" is certain. It separates a block
 * without transfers from a node that omitted its logs.
 */
import { type Hex, keccak256 } from 'viem'

/** The three bits of the filter that a value sets, as digit position and mask. */
export type BloomBits = readonly { digit: number; mask: number }[]

const BLOOM_BYTES = 256

export function bloomBits(value: Hex): BloomBits {
  const hash = keccak256(value, 'bytes')
  return [0, 2, 4].map((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 0x7ff
    return { digit: 2 + (BLOOM_BYTES * 2 - 1 - (bit >> 2)), mask: 1 << (bit & 3) }
  })
}

export function mayContain(bloom: string, bits: BloomBits): boolean {
  return bits.every(({ digit, mask }) => (Number.parseInt(bloom[digit] ?? '0', 16) & mask) !== 0)
}
