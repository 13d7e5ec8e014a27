/** Gas that comes along with an output: what becomes of it, and of its share of the money, where one of the two cannot be paid. */
import { expect, test } from 'vitest'
import { FALLEN, GAS, PRICING, quoted, REFUEL, Story, usdc } from './fixtures.ts'
import type { PayoutKind } from './payout.ts'

const OUTPUT = 'output: 99300000 to recipient'
const REFUELED = { ...PRICING, refuel: REFUEL }

/** As much came as was asked for. */
function paid(): Story {
  const story = new Story({ refuel: GAS, quote: quoted(usdc(100), REFUELED) }, { pricing: REFUELED })
  story.deposit('a', usdc(100))
  return story
}

function abandon(story: Story, kind: PayoutKind): void {
  story.apply({ type: 'payout_abandoned', kind, depositId: null })
}

test('a refuel that cannot be paid is given back, and the swap completes without it', () => {
  const story = paid()
  story.land('output')
  abandon(story, 'refuel')
  expect(story.swap.status).toBe('completed')
  expect(story.standing).toEqual(['output: 98300000 to recipient', 'return of a: 700000 to sender'])
  expect(story.balance('promised', GAS)).toBe(0n)
})

test('a refuel that is given up before the refund was started goes back together with it', () => {
  const story = paid()
  story.start('refuel')
  abandon(story, 'output')
  abandon(story, 'refuel')
  expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
  expect(story.balance('customer')).toBe(0n)
})

test('a refuel that is asked for and no longer offered is not charged', () => {
  const story = new Story({ refuel: GAS, requestedUnits: null, quote: null })
  story.deposit('a', usdc(100))
  expect(story.standing).toEqual([OUTPUT])
})

test('a refuel that is given up after the refund was paid goes back on its own', () => {
  const story = paid()
  story.start('refuel')
  abandon(story, 'output')
  story.land('refund', 'a')
  expect(story.swap.status).toBe('refunded')
  abandon(story, 'refuel')
  expect(story.standing).toEqual(['refund of a: 98700000 to sender', 'return of a: 700000 to sender'])
  expect(story.swap.status).toBe('refunded')
})

/** Half as much again came as was asked for. */
function overpaid(): Story {
  const quote = quoted(usdc(100), REFUELED)
  const story = new Story({ refuel: GAS, quote }, { pricing: { ...FALLEN, refuel: REFUEL } })
  story.deposit('a', usdc(150))
  return story
}

test('an excess waits for the refuel of its deposit, and nobody is told of it', () => {
  const story = overpaid()
  story.tick()
  expect(story.standing).toEqual(['output: 98300000 to recipient', 'refuel: 500000000000000 to recipient'])
  expect(story.step.dueAt).toBeNull()
  story.land('refuel')
  expect(story.standing).toContain('return of a: 49700000 to sender')
  expect(story.alerts).toEqual([])
})

test('an excess goes back together with the share of a refuel that fails', () => {
  const story = overpaid()
  story.land('output')
  abandon(story, 'refuel')
  expect(story.swap.status).toBe('completed')
  expect(story.standing).toEqual(['output: 98300000 to recipient', 'return of a: 50700000 to sender'])
  expect(story.balance('customer')).toBe(0n)
})

test('an excess, the rest after a refused output and the share of a refuel that fails all go back', () => {
  const story = overpaid()
  story.start('refuel')
  abandon(story, 'output')
  story.land('refund', 'a')
  abandon(story, 'refuel')
  expect(story.standing).toEqual(['refund of a: 148700000 to sender', 'return of a: 700000 to sender'])
  expect(story.balance('customer')).toBe(0n)
})

test('a refuel that the swap did not ask for is not charged', () => {
  const story = new Story({ requestedUnits: null, quote: null }, { pricing: { ...PRICING, refuel: REFUEL } })
  story.deposit('a', usdc(100))
  expect(story.standing).toEqual([OUTPUT])
  expect(story.balance('customer')).toBe(0n)
})

test('a deposit that vanishes under a refuel on its way ends the swap: no second refuel is ever sent', () => {
  const story = paid()
  story.start('refuel')
  story.apply({ type: 'deposit_gone', depositId: 'a' })
  expect(story.swap).toMatchObject({ status: 'failed', failReason: 'deposit_lost' })
  expect(story.balance('loss')).toBe(usdc(1))
  story.deposit('b', usdc(100))
  expect(story.standing).toEqual(['refuel: 500000000000000 to recipient', 'return of b: 99700000 to sender'])
})
