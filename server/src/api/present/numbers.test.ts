/** Shown numbers equal what parsing the exact decimal text gives, however they are computed. */
import { formatDecimal } from '@causeway/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fraction, human, humanUsd } from './numbers.ts'

const units = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 12n }),
  fc.bigInt({ min: 0n, max: 10n ** 40n }),
  fc.bigInt({ min: 0n, max: 10n ** 12n }).map((value) => value * 10n ** 18n),
)

test('an amount is truncated to the shown digits and is otherwise the nearest number', () => {
  const token = fc.record({ decimals: fc.integer({ min: 0, max: 36 }), precision: fc.integer({ min: 0, max: 18 }) })
  fc.assert(
    fc.property(units, token, (value, { decimals, precision }) => {
      const grid = 10n ** BigInt(Math.max(0, decimals - precision))
      const text = formatDecimal((value / grid) * grid, decimals)
      expect(human(value, { decimals, precision } as Parameters<typeof human>[1])).toBe(Number(text))
    }),
    { numRuns: 2_000 },
  )
})

test('fractions are shown in full, dollars to a millionth', () => {
  fc.assert(
    fc.property(units, (value) => {
      expect(fraction(value)).toBe(Number(formatDecimal(value, 18)))
      expect(humanUsd(value)).toBe(Number(formatDecimal(value / 10n ** 12n, 6)))
    }),
    { numRuns: 2_000 },
  )
})
