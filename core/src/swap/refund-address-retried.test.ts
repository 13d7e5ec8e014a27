/** An address that was refused, and is named again by somebody who may, is tried again: the newest word counts. */
import { expect, test } from 'vitest'
import { PRICING, Story, usdc } from '../fixtures.ts'

const REFUND = 'refund of a: 99700000 to sender'

/** Its output cannot be delivered: it is to be refunded. */
function refunding(): Story {
  const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
  story.deposit('a', usdc(100))
  expect(story.standing).toEqual([REFUND])
  return story
}

const sayAgain = (story: Story) =>
  story.apply({ type: 'refund_address_given', address: 'sender', depositIds: ['a'], by: 'operator' })

test('after a token was paused, and refused everybody, what is owed goes to the same address once that is said', () => {
  const story = refunding()
  for (let refusals = 0; refusals < 3; refusals++) {
    story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', refused: true })
    story.tick()
  }
  expect(story.swap.status).toBe('pending_refund')
  sayAgain(story)
  expect(story.standing).toEqual([REFUND])
})

test('a person who has rejected the wrong payout can send it after all', () => {
  const story = refunding()
  story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', rejected: true })
  expect(story.swap.status).toBe('pending_refund')
  sayAgain(story)
  expect(story.standing).toEqual([REFUND])
})

test('what was refused before it was said again counts no longer, and what is refused after it does', () => {
  const story = refunding()
  const refuse = () => {
    story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', refused: true })
    for (let ticks = 0; ticks < 3; ticks++) story.tick()
  }
  for (let refusals = 0; refusals < 3; refusals++) refuse()
  sayAgain(story)
  for (let refusals = 0; refusals < 3; refusals++) {
    expect(story.standing).toEqual([REFUND])
    refuse()
  }
  expect(story.standing).toEqual([])
  expect(story.swap.status).toBe('pending_refund')
})

test('what a sender signed before an operator said no does not lift it', () => {
  const story = refunding()
  story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', rejected: true })
  story.apply({ type: 'refund_address_given', address: 'sender', depositIds: ['a'], by: 'sender' })
  story.tick()
  expect(story.standing).toEqual([])
})

test('a refund that was made is not made again when its address is named again', () => {
  const story = refunding()
  story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', refused: true })
  story.tick()
  story.apply({ type: 'payout_confirmed', kind: 'refund', depositId: 'a', from: 'treasury' })
  sayAgain(story)
  story.tick()
  expect(story.standing).toEqual([REFUND])
})
