/** The computed amount delivers what was requested, and hardly more. */
import { expect, test } from 'vitest'
import { amountThatDelivers } from './delivering.ts'

const ETH = { price_in_usd: 3000, decimals: 18 }
const USDC = { price_in_usd: 1, decimals: 6 }

/** A service with a linear price: `rate` per token, less a fee. */
const line = (rate: number, fee: number) => (amount: number) => Math.floor(Math.max(0, amount * rate - fee) * 1e6) / 1e6

test.each([
  [2990, 0.5, '300'],
  [2900, 40, '300'],
  [3000, 0, '0.01'],
  [2999.7, 12.34, '123456.789'],
])('with a rate of %d and a fee of %d, %s arrive', async (rate, fee, goal) => {
  const comes = line(rate, fee)
  let asked = 0
  const sent = await amountThatDelivers(goal, { from: ETH, to: USDC }, async (amount) => {
    asked += 1
    return comes(Number(amount))
  })
  expect(comes(Number(sent))).toBeGreaterThanOrEqual(Number(goal))
  expect(comes(Number(sent))).toBeLessThan(Number(goal) * 1.0001 + 0.0001)
  expect(asked).toBeLessThanOrEqual(5)
})

test('an amount outside the limits is returned as it is, so that the form can show the limits', async () => {
  expect(await amountThatDelivers('30', { from: ETH, to: USDC }, async () => null)).toBe('0.01')
})

test('the amount has no more digits than the token', async () => {
  const sent = await amountThatDelivers('0.1', { from: USDC, to: ETH }, async (amount) => Number(amount) / 3001)
  expect(sent).toMatch(/^300\.1\d{0,5}$/)
})
