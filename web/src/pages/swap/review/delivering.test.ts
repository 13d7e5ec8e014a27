/** What is sent delivers what was asked for, and hardly more. */
import { expect, test } from 'vitest'
import { amountThatDelivers } from './delivering.ts'

const ETH = { price_in_usd: 3000, decimals: 18 }
const USDC = { price_in_usd: 1, decimals: 6 }

/** A service whose price is a line: so many for one, less a fee. */
const line = (rate: number, fee: number) => (amount: number) => Math.floor(Math.max(0, amount * rate - fee) * 1e6) / 1e6

test.each([
  [2990, 0.5, '300'],
  [2900, 40, '300'],
  [3000, 0, '0.01'],
  [2999.7, 12.34, '123456.789'],
])('with %d for one and a fee of %d, %s arrive', async (rate, fee, goal) => {
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

test('what is out of the limits is put in as it is, so that the form can say what they are', async () => {
  expect(await amountThatDelivers('30', { from: ETH, to: USDC }, async () => null)).toBe('0.01')
})

test('no more digits are written than the token has', async () => {
  const sent = await amountThatDelivers('0.1', { from: USDC, to: ETH }, async (amount) => Number(amount) / 3001)
  expect(sent).toMatch(/^300\.1\d{0,5}$/)
})
