/** A swap's reference survives the encoding in a transfer's expiry, and no real expiry is mistaken for one. */
import { isReference } from '@causeway/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { MAX_TIMESTAMP } from '../transaction.ts'
import { depositAction, referenceIn } from './deposit.ts'

const { nativeToken: token } = sampleNetwork([{ symbol: 'ETH', contract: null, decimals: 18 }], {
  ...{ name: 'ZKSYNC_SEPOLIA', type: 'zksynclite' },
})

test('call_data is decoded as the number that it was made of', () => {
  const most = BigInt(Number.MAX_SAFE_INTEGER) - 10_000_000_000n
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: most }), (reference) => {
      const { callData } = depositAction({ token, units: 1n, receiver: '0x', reference, sourceAddress: null })
      expect(referenceIn(Number(callData))).toBe(reference)
    }),
  )
})

test('every reference of this network counts down from the last moment as published wallets do', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 28 - 1 }), (reference) => {
      expect(referenceIn(MAX_TIMESTAMP - reference)).toBe(BigInt(reference))
    }),
  )
})

test('a decoded expiry is a valid reference, or null', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (validUntil) => {
      const found = referenceIn(validUntil)
      expect(found === null || isReference(found)).toBe(true)
    }),
  )
})

test('no moment of this century is a number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_999_999_999 }), (moment) => {
      expect(referenceIn(moment)).toBeNull()
    }),
  )
})
