/** How long a quote is valid. */
import { expect, test } from 'vitest'
import { DESTINATION, networkOf, SOURCE } from '../fixtures.ts'
import { quoteTermMs } from './quote-term.ts'

const MINUTE = 60_000
const NETWORK = networkOf({})
const rules = { dollars: ['USDC', 'USDT'], termMs: null }
const of = (group: string | null, symbol = 'ANY') => ({ ...SOURCE, group, symbol })
const term = (from: string | null, to: string | null, fields = {}) =>
  quoteTermMs(of(from), { ...DESTINATION, group: to, symbol: 'OTHER' }, { ...NETWORK, ...fields }, rules) / MINUTE

test('fifteen minutes between tokens of one group or two dollar coins, otherwise five', () => {
  expect(term('ETH', 'ETH')).toBe(15)
  expect(term('USDC', 'USDT')).toBe(15)
  expect(term('USDC', 'ETH')).toBe(5)
  expect(term('ETH', 'BTC')).toBe(5)
  expect(term(null, null)).toBe(5)
})

test('never less than two blocks of the source', () => {
  expect(term('BTC', 'ETH', { blockMs: 10 * MINUTE })).toBe(20)
  expect(term('ETH', 'BTC', { blockMs: 12_000 })).toBe(5)
})

test('the operator’s own term, but never less than two blocks', () => {
  const own = { ...rules, termMs: MINUTE }
  expect(quoteTermMs(SOURCE, DESTINATION, NETWORK, own)).toBe(MINUTE)
  expect(quoteTermMs(SOURCE, DESTINATION, { ...NETWORK, blockMs: 10 * MINUTE }, own)).toBe(20 * MINUTE)
})
