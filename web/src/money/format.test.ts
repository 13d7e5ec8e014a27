/** Dollars as the pages show them. */
import { expect, test } from 'vitest'
import { formatUsdDown, formatUsdShort } from './format.ts'
import { formatAge, formatSeconds } from './format-time.ts'

test('received dollars are rounded down to cents, and an exact amount of cents stays', () => {
  expect([299.115, 299.119, 299.11, 0.29, 1.1].map(formatUsdDown)).toEqual([
    ...['$299.11', '$299.11', '$299.11', '$0.29', '$1.10'],
  ])
})

test('an amount below one cent is not rounded to nothing', () => {
  expect(formatUsdDown(0.0042)).toBe('$0.0042')
})

test('ticks of a chart have no cents or two, and large ones are short', () => {
  expect([10, 7.5, 0, 1_800_000].map(formatUsdShort)).toEqual(['$10', '$7.50', '$0', '$1.8M'])
})

test('an age of nothing is now, a duration of nothing is no seconds', () => {
  expect([formatAge(0.4), formatAge(1)]).toEqual(['just now', '1 s ago'])
  expect(formatSeconds(0)).toBe('0 s')
})
