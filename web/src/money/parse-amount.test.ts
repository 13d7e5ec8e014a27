/** Amounts as people type them: exact, in both notations, and ambiguous ones are reported. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainNumber } from '../../../sdk/src/decimal.ts'
import { cut, formatDecimal, formatUsd, shorten, usdToUnits } from './format.ts'
import { fromUnits, parseAmount, toUnits } from './parse-amount.ts'

const ok = (decimal: string) => ({ state: 'ok', decimal })

describe('an amount', () => {
  test.each([
    ['0.1', '0.1'],
    ['0,1', '0.1'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007', '7'],
    ['0.1250', '0.125'],
    ['1,234.5', '1234.5'],
    ['1.234,5', '1234.5'],
    ['1,234,567', '1234567'],
    ['1.234.567', '1234567'],
    ["12'345.67", '12345.67'],
    ['12 345,67', '12345.67'],
    ['1234.567', '1234.567'],
    ['0.125', '0.125'],
  ])('%s is %s', (text, decimal) => expect(parseAmount(text)).toEqual(ok(decimal)))

  test.each(['abc', '1e5', '-1', '1.2.3', '1,23,4', '.', '0x10', '1.23,4.5'])('%s is not an amount', (text) =>
    expect(parseAmount(text)).toEqual({ state: 'bad' }),
  )

  test('a single mark before three digits is ambiguous, unless it is the decimal mark of the language', () => {
    expect(parseAmount('1.000', ',')).toEqual({ state: 'ambiguous', grouped: '1000', fraction: '1' })
    expect(parseAmount('12,345', '.')).toEqual({ state: 'ambiguous', grouped: '12345', fraction: '12.345' })
    expect(parseAmount('1.250', '.')).toEqual(ok('1.25'))
    expect(parseAmount('1,250', ',')).toEqual(ok('1.25'))
  })

  test('base units and back is the same amount, for any token', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        expect(toUnits(fromUnits(units, decimals), decimals)).toBe(units)
      }),
    )
  })

  test('any number that the API prints parses to itself', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), (value) => {
        const text = plainNumber(value)
        const read = parseAmount(text)
        const meant = read.state === 'ambiguous' ? read.fraction : read.state === 'ok' ? read.decimal : ''
        expect(Number(meant)).toBe(value)
      }),
    )
  })

  test('more digits than the token has are rejected, not rounded', () => {
    expect(toUnits('0.1234567', 6)).toBeNull()
    expect(toUnits('0.123456', 6)).toBe(123456n)
  })
})

test('dollars convert to base units by the price, rounded down', () => {
  expect(usdToUnits('300', 3000, 18)).toBe(10n ** 17n)
  expect(usdToUnits('1', 3, 6)).toBe(333333n)
  expect(usdToUnits('1', 0, 6)).toBeNull()
})

test('shown amounts are truncated, never rounded up, with thousands separators', () => {
  expect(cut('0.123456789', 8)).toBe('0.12345678')
  expect(cut('1.10', 8)).toBe('1.1')
  expect(formatDecimal('1234567.8901')).toBe('1,234,567.8901')
})

test.each([
  ['294.34185', '294.341'],
  ['0.071061239', '0.0710612'],
  ['0.00001234567', '0.0000123456'],
  ['12345.6789', '12345.67'],
  ['1234567.891', '1234567.89'],
  ['0.1', '0.1'],
])('an amount that is only read, %s, is shown as %s', (exact, shown) => expect(shorten(exact)).toBe(shown))

test('a loss has a minus sign, not a hyphen', () => {
  expect([formatUsd(-12.5), formatDecimal('-1234.5')]).toEqual(['−$12.50', '−1,234.5'])
})
