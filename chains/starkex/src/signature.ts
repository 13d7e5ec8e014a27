/** Verifies signatures on the Stark curve with a key of which only one coordinate is known. */
import { verify } from '@scure/starknet'
import type { StarkSignature } from './paying/treasury.ts'

export function isSignedBy(key: bigint, hash: bigint, { r, s }: StarkSignature): boolean {
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  return ['02', '03'].some((side) => {
    try {
      return verify(word(r) + word(s), word(hash), side + word(key), { format: 'compact' })
    } catch {
      return false
    }
  })
}
