/** A refuel next to an output: what happens to it and to its share of the deposit if one of the two cannot be paid. */
import { expect, test } from 'vitest'
import { FALLEN, GAS, PRICING, quoted, REFUEL, Story, TREASURY, usdc } from '../fixtures.ts'
import type { PayoutKind } from './payout.ts'

const OUTPUT = 'output: 99300000 to recipient'
const REFUELED = { ...PRICING, refuel: REFUEL }

/** A deposit of the requested amount. */
function paid(): Story {
  const story = new Story({ refuel: GAS, quote: quoted(usdc(100), REFUELED) }, { pricing: REFUELED })
  story.deposit('a', usdc(100))
  return story
}

function abandon(story: Story, kind: PayoutKind): void {
  story.apply({ type: 'payout_abandoned', kind, depositId: null })
}

test('the share of a refuel that cannot be paid is returned, and the swap completes without it', () => {
  const story = paid()
  story.land('output')
  abandon(story, 'refuel')
  expect(story.swap.status).toBe('completed')
  expect(story.standing).toEqual(['output: 98300000 to recipient', 'return of a: 700000 to sender'])
  expect(story.balance('promised', GAS)).toBe(0n)
})

test('a refuel abandoned before the refund started is refunded together with it', () => {
  const story = paid()
  story.start('refuel')
  abandon(story, 'output')
  abandon(story, 'refuel')
  expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
  expect(story.balance('customer')).toBe(0n)
})

test('a refuel that was requested but is no longer offered is not charged', () => {
  const story = new Story({ refuel: GAS, requestedUnits: null, quote: null })
  story.deposit('a', usdc(100))
  expect(story.standing).toEqual([OUTPUT])
})

test('a refuel abandoned after the refund was paid is returned on its own', () => {
  const story = paid()
  story.start('refuel')
  abandon(story, 'output')
  story.land('refund', 'a')
  expect(story.swap.status).toBe('refunded')
  abandon(story, 'refuel')
  expect(story.standing).toEqual(['refund of a: 98700000 to sender', 'return of a: 700000 to sender'])
  expect(story.swap.status).toBe('refunded')
})

/** A deposit of one and a half times the requested amount. */
function overpaid(): Story {
  const quote = quoted(usdc(100), REFUELED)
  const story = new Story({ refuel: GAS, quote }, { pricing: { ...FALLEN, refuel: REFUEL } })
  story.deposit('a', usdc(150))
  return story
}

test('the share of a failed refuel is merged with an excess that was not sent yet', () => {
  const story = overpaid()
  expect(story.standing).toContain('return of a: 49700000 to sender')
  story.land('output')
  abandon(story, 'refuel')
  expect(story.swap.status).toBe('completed')
  expect(story.standing).toEqual(['output: 98300000 to recipient', 'return of a: 50700000 to sender'])
  expect(story.balance('customer')).toBe(0n)
})

test('the share of a failed refuel is returned on its own if an excess was returned before', () => {
  const story = overpaid()
  story.land('return', 'a')
  story.land('output')
  abandon(story, 'refuel')
  expect(story.swap.status).toBe('completed')
  expect(story.standing.slice(1)).toEqual(['return of a: 49700000 to sender', 'return of a: 700000 to sender'])
  expect(story.balance('customer')).toBe(0n)
})

test('the share of a failed refuel waits for an excess that is on its way', () => {
  const story = overpaid()
  story.start('return')
  story.land('output')
  abandon(story, 'refuel')
  expect(story.standing).toEqual(['output: 98300000 to recipient', 'return of a: 49700000 to sender'])
  expect(story.balance('customer')).toBe(-usdc(1))
  expect(story.step.dueAt).toEqual(story.context.now)
  story.land('return', 'a')
  story.tick()
  expect(story.standing.slice(1)).toEqual(['return of a: 49700000 to sender', 'return of a: 700000 to sender'])
})

test('an excess, the rest after a refused output and the share of a failed refuel are all returned', () => {
  const story = overpaid()
  story.land('return', 'a')
  story.start('refuel')
  abandon(story, 'output')
  story.land('refund', 'a')
  abandon(story, 'refuel')
  expect(story.standing).toEqual([
    'return of a: 49700000 to sender',
    'refund of a: 98700000 to sender',
    'return of a: 700000 to sender',
  ])
  expect(story.balance('customer')).toBe(0n)
  story.land('return', 'a')
  expect(story.balance('promised')).toBe(0n)
  expect(story.swap.status).toBe('refunded')
})

test('with two returns, an event applies to the one that its number names', () => {
  const story = overpaid()
  story.land('return', 'a')
  story.land('output')
  abandon(story, 'refuel')
  const states = () => story.swap.payouts.filter(({ kind }) => kind === 'return').map(({ state }) => state)
  const [first = 0, second = 0] = story.swap.payouts.flatMap(({ kind }, place) => (kind === 'return' ? [place] : []))
  const meant = { kind: 'return', depositId: 'a', from: TREASURY } as const
  story.apply({ type: 'payout_undone', ...meant, number: second })
  expect(states()).toEqual(['confirmed', 'open'])
  story.apply({ type: 'payout_undone', ...meant, number: first })
  expect(states()).toEqual(['open', 'open'])
  story.apply({ type: 'payout_confirmed', ...meant, number: second })
  expect(states()).toEqual(['open', 'confirmed'])
  story.apply({ type: 'payout_abandoned', ...meant, number: second })
  expect(states()).toEqual(['open', 'confirmed'])
  story.apply({ type: 'payout_confirmed', ...meant, number: first })
  expect(states()).toEqual(['confirmed', 'confirmed'])
  expect(story.balance('promised')).toBe(0n)
})

test('a refuel that the swap did not request is not charged', () => {
  const story = new Story({ requestedUnits: null, quote: null }, { pricing: { ...PRICING, refuel: REFUEL } })
  story.deposit('a', usdc(100))
  expect(story.standing).toEqual([OUTPUT])
  expect(story.balance('customer')).toBe(0n)
})

test('a deposit that disappears after its refuel started ends the swap: no second refuel is sent', () => {
  const story = paid()
  story.start('refuel')
  story.apply({ type: 'deposit_gone', depositId: 'a' })
  expect(story.swap).toMatchObject({ status: 'failed', failReason: 'deposit_lost' })
  expect(story.balance('loss')).toBe(usdc(1))
  story.deposit('b', usdc(100))
  expect(story.standing).toEqual(['refuel: 500000000000000 to recipient', 'return of b: 99700000 to sender'])
})
