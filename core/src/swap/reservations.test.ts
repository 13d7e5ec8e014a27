/** Payouts of one swap that draw on the same balance, and a return that a reorg removed. */
import { expect, test } from 'vitest'
import { DESTINATION, dollars, FALLEN, PRICING, quoted, Story, usdc } from '../fixtures.ts'

test('an output and a refuel of the same token need the balance for both, to the unit', () => {
  const refuel = { token: DESTINATION, units: usdc(1), usd: dollars(1) }
  const story = (liquidityUnits: bigint) => {
    const pricing = { ...PRICING, refuel, liquidityUnits }
    const made = new Story({ refuel: DESTINATION, quote: quoted(usdc(100), pricing) }, { pricing })
    made.deposit('a', usdc(100))
    return made
  }
  expect(story(usdc(99.3)).standing).toEqual(['output: 98300000 to recipient', 'refuel: 1000000 to recipient'])
  const short = story(usdc(99.3) - 1n)
  expect(short.standing).toEqual(['refund of a: 99700000 to sender'])
  expect(short.swap.failReason).toBe('insufficient_liquidity')
})

test('a confirmed return that was not made is owed again, and the delivered swap stays completed', () => {
  const story = new Story({}, { pricing: FALLEN })
  story.deposit('a', usdc(150))
  story.land('output')
  story.land('return', 'a')
  story.apply({ type: 'payout_undone', kind: 'return', depositId: 'a', from: 'treasury' })
  expect(story.swap.status).toBe('completed')
  expect(story.swap.payouts.map(({ kind, state }) => [kind, state])).toEqual([
    ['output', 'confirmed'],
    ['return', 'open'],
  ])
  story.land('return', 'a')
  expect(story.balance('promised')).toBe(0n)
})
