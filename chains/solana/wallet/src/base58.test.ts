/** Base58 encoding and decoding, and Solana addresses. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromBase58, toBase58 } from './base58.ts'

it('bytes survive a round trip, including leading zeros', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      expect(fromBase58(toBase58(bytes))).toEqual(bytes)
    }),
  )
})

it('an address is 32 bytes, and ambiguous letters are rejected', () => {
  expect(fromBase58('7TtM9ss1Xv1Y6NshePjvZLKSmJhhQzde5g6vmYzhxWMi')).toHaveLength(32)
  expect(fromBase58('0OIl')).toBeNull()
})
