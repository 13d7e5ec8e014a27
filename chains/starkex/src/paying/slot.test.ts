/** One spelling per slot, and nonces that are never allocated twice, even by a database that forgot some. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextNonce, placeOf, slotOf } from './slot.ts'

const place = fc.record({
  nonce: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  firstHour: fc.integer({ min: 1, max: 2 ** 22 - 1 }),
  vault: fc.bigInt({ min: 1n, max: 2n ** 31n - 1n }),
})

test('a slot decodes to its parts and has one spelling', () => {
  fc.assert(
    fc.property(place, (one) => {
      expect(placeOf(slotOf(one))).toEqual(one)
      const [nonce = '', timed = ''] = slotOf(one)
      for (const other of [
        [timed, nonce],
        [`0${nonce}`, timed],
        [nonce],
        [nonce, timed, nonce],
        [nonce, `${timed} `],
      ]) {
        expect(() => placeOf(other)).toThrow('not a slot')
      }
    }),
  )
})

test('the next nonce is above all allocated ones, and above what one per second could have used', () => {
  const now = fc.integer({ min: 1_790_000_000, max: 2_500_000_000 })
  fc.assert(
    fc.property(fc.array(place, { maxLength: 20 }), now, (taken, seconds) => {
      const next = nextNonce(taken.map(slotOf), seconds)
      expect(taken.every(({ nonce }) => nonce < next)).toBe(true)
      expect(next).toBeGreaterThanOrEqual(seconds - 1_750_000_000)
    }),
  )
})
