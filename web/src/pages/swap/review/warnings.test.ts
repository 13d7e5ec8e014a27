/** A bad deal is named: from which shares on, and which one it is. */
import type { Quoted } from '@causeway/sdk/light'
import { expect, test } from 'vitest'
import { hasHighFees, warningsOf } from './warnings.ts'

function priced(given: object): Pick<Quoted, 'quote'> {
  const token = (price_in_usd: number) => ({ price_in_usd })
  const usual = { requested_amount: 10, total_fee_in_usd: 0.1, rate: 1, slippage: 0.01, price_impact: null, path: [{}] }
  return { quote: { ...usual, source_token: token(1), destination_token: token(1), ...given } as Quoted['quote'] }
}

test.each([
  ['usual fees', {}, []],
  ['fees just below a twentieth', { total_fee_in_usd: 0.499 }, []],
  ['fees of a quarter', { total_fee_in_usd: 2.5 }, [/^Fees are 25% of/]],
  [
    'an exchange that takes a quarter',
    { path: [{}, {}], total_fee: 0.1, refuel_in_source: 0, receive_amount: 7.5, rate: 0.7576, price_impact: 0 },
    [/^Fees are 25% of/],
  ],
  ['an exchange that is moved', { price_impact: 0.031 }, [/^The price is 3\.1% worse/]],
  ['a rate below the market’s', { rate: 0.9 }, [/^The price is 10% worse/]],
  ['a wide slippage', { slippage: 0.2 }, [/^Your max slippage is 20%/]],
  ['an unknown price', { requested_amount: 0, total_fee_in_usd: 3 }, []],
])('%s', (_name, given, wanted) => {
  const told = warningsOf(priced(given))
  expect(told).toEqual(wanted.map((words) => expect.stringMatching(words)))
  expect(hasHighFees(priced(given))).toBe(told.some((sentence) => sentence.startsWith('Fees')))
})
