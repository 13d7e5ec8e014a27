import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SOURCE, tokenOf } from '../fixtures.ts'
import {
  add,
  displayStep,
  formatDecimal,
  fromUsd,
  isSameToken,
  mulDiv,
  ONE,
  parseDecimal,
  parseNoisyDecimal,
  roundToDisplay,
  subtract,
  toUsd,
} from './money.ts'

const units = fc.bigInt({ min: 0n, max: 10n ** 40n })
const decimals = fc.integer({ min: 0, max: 18 })

describe('decimal text', () => {
  test('formatted amounts parse back to the same units', () => {
    fc.assert(
      fc.property(units, decimals, (value, digits) => {
        expect(parseDecimal(formatDecimal(value, digits), digits)).toBe(value)
      }),
    )
  })

  test('formatted text has no exponent, no trailing zero and at most one sign', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), decimals, (value, digits) => {
        expect(formatDecimal(value, digits)).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
      }),
    )
  })

  test('exact numbers', () => {
    expect(formatDecimal(1n, 18)).toBe('0.000000000000000001')
    expect(formatDecimal(-1_500_000n, 6)).toBe('-1.5')
    expect(formatDecimal(0n, 6)).toBe('0')
    expect(formatDecimal(120n, 0)).toBe('120')
    expect(parseDecimal('0.1', 6)).toBe(100_000n)
    expect(parseDecimal('007', 2)).toBe(700n)
    expect(parseDecimal('1.500000000', 1)).toBe(15n)
  })

  test.each([
    '',
    ' 1',
    '1 ',
    '1\n',
    '-1',
    '+1',
    '1e5',
    '1E-5',
    '.5',
    '5.',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '١',
    '1.2.3',
    '1_0',
  ])('rejects %j', (text) => expect(parseDecimal(text, 18)).toBe(null))

  test('rejects more digits than the token has, instead of dropping them', () => {
    expect(parseDecimal('0.0000001', 6)).toBe(null)
    expect(parseDecimal('1.1', 0)).toBe(null)
    expect(parseDecimal('9'.repeat(61), 6)).toBe(null)
  })
})

describe('division', () => {
  test('rounding down and up enclose the exact quotient and differ by one unless it divides', () => {
    fc.assert(
      fc.property(units, units, fc.bigInt({ min: 1n, max: 10n ** 30n }), (a, b, divisor) => {
        const down = mulDiv(a, b, divisor, 'down')
        const up = mulDiv(a, b, divisor, 'up')
        expect(down * divisor <= a * b && a * b <= up * divisor).toBe(true)
        expect(up - down).toBe((a * b) % divisor === 0n ? 0n : 1n)
      }),
    )
  })

  test.each([
    [-1n, 1n, 1n],
    [1n, -1n, 1n],
    [1n, 1n, 0n],
    [1n, 1n, -1n],
  ])('rejects a negative number and a zero divisor', (a, b, divisor) => {
    expect(() => mulDiv(a, b, divisor, 'down')).toThrow('mulDiv')
  })

  test('converting to dollars and back never gains', () => {
    fc.assert(
      fc.property(units, decimals, fc.bigInt({ min: 1n, max: 10n ** 24n }), (value, digits, price) => {
        const token = tokenOf({ decimals: digits })
        expect(fromUsd(toUsd(value, token, price, 'down'), token, price, 'down') <= value).toBe(true)
        expect(fromUsd(toUsd(value, token, price, 'up'), token, price, 'up') >= value).toBe(true)
      }),
    )
  })

  test('a price is the dollars of one whole token', () => {
    expect(toUsd(2_500_000n, SOURCE, 2n * ONE, 'down')).toBe(5n * ONE)
    expect(fromUsd(5n * ONE, SOURCE, 2n * ONE, 'up')).toBe(2_500_000n)
  })
})

describe('tokens', () => {
  const amount = (fields: object, value = 5n) => ({ token: tokenOf(fields), units: value })

  test('amounts of two tokens cannot be added', () => {
    const other = [{ network: 'BETA' }, { contract: '0xother' }, { contract: null }]
    for (const fields of other) {
      expect(() => add(amount({}), amount(fields))).toThrow('two tokens')
      expect(() => subtract(amount({}), amount(fields))).toThrow('two tokens')
    }
  })

  test('tokens with the same symbol are different tokens, and a renamed token is the same token', () => {
    expect(isSameToken(tokenOf({ contract: '0xfake' }), tokenOf({}))).toBe(false)
    expect(isSameToken(tokenOf({ symbol: 'USDC.e' }), tokenOf({}))).toBe(true)
  })

  test('an amount never goes below zero', () => {
    expect(subtract(amount({}, 5n), amount({}, 5n)).units).toBe(0n)
    expect(() => subtract(amount({}, 4n), amount({}, 5n))).toThrow('below zero')
    expect(add(amount({}, 4n), amount({}, 5n)).units).toBe(9n)
  })
})

describe('display precision', () => {
  test('the step is the last shown digit, or one unit if every digit is shown', () => {
    expect(displayStep(tokenOf({ decimals: 6, precision: 4 }))).toBe(100n)
    expect(displayStep(tokenOf({ decimals: 8, precision: 8 }))).toBe(1n)
    expect(displayStep(tokenOf({ decimals: 2, precision: 6 }))).toBe(1n)
  })

  test('rounding stays within one step, in the given direction', () => {
    fc.assert(
      fc.property(units, decimals, decimals, (value, digits, precision) => {
        const token = tokenOf({ decimals: digits, precision })
        const grid = displayStep(token)
        const down = roundToDisplay(value, token, 'down')
        const up = roundToDisplay(value, token, 'up')
        expect(down % grid).toBe(0n)
        expect(up % grid).toBe(0n)
        expect(down <= value && value < down + grid && up - grid < value && value <= up).toBe(true)
      }),
    )
  })
})

describe('amounts that a client computed with doubles', () => {
  test('are rounded to the intended amount, whatever sums and products produced the noise', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), fc.bigInt(1n, 10n ** 12n), (one, two) => {
        const sum = (Number(one) / 1e6 + Number(two) / 1e6).toFixed(30)
        expect(parseNoisyDecimal(sum, 6)).toBe(one + two)
      }),
    )
    expect(parseNoisyDecimal('0.30000000000000004', 6)).toBe(300_000n)
    expect(parseNoisyDecimal('0.29999999999999998', 6)).toBe(300_000n)
    expect(parseNoisyDecimal('0.30000000000000004', 18)).toBe(300_000_000_000_000_040n)
  })

  test('are rejected if the extra digits are more than noise', () => {
    for (const text of ['0.3000001', '0.300000000000001', '0.0000001', '1000000.0000005', '1.', '.5', '-1', '1e3', ''])
      expect(parseNoisyDecimal(text, 6), text).toBeNull()
  })
})
