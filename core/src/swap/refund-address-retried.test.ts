/** If an authorized person gives a refused refund address again, it is tried again: the latest decision counts. */
import { expect, test } from 'vitest'
import { PRICING, Story, usdc } from '../fixtures.ts'

const REFUND = 'refund of a: 99700000 to sender'

/** A swap whose output cannot be delivered, so it is refunded. */
function refunding(): Story {
  const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
  story.deposit('a', usdc(100))
  expect(story.standing).toEqual([REFUND])
  return story
}

const sayAgain = (story: Story) =>
  story.apply({ type: 'refund_address_given', address: 'sender', depositIds: ['a'], by: 'operator' })

test('after a paused token refused everyone, the refund goes to the same address once given again', () => {
  const story = refunding()
  for (let refusals = 0; refusals < 3; refusals++) {
    story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', refused: true })
    story.tick()
  }
  expect(story.swap.status).toBe('pending_refund')
  sayAgain(story)
  expect(story.standing).toEqual([REFUND])
})

test('an operator who rejected the wrong payout can send it after all', () => {
  const story = refunding()
  story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', rejected: true })
  expect(story.swap.status).toBe('pending_refund')
  sayAgain(story)
  expect(story.standing).toEqual([REFUND])
})

test('refusals before the address was given again do not count, refusals after it do', () => {
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

test('a sender’s signature does not clear an operator’s rejection', () => {
  const story = refunding()
  story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', rejected: true })
  story.apply({ type: 'refund_address_given', address: 'sender', depositIds: ['a'], by: 'sender' })
  story.tick()
  expect(story.standing).toEqual([])
})

test('a refund that was paid is not paid again when its address is given again', () => {
  const story = refunding()
  story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', refused: true })
  story.tick()
  story.apply({ type: 'payout_confirmed', kind: 'refund', depositId: 'a', from: 'treasury' })
  sayAgain(story)
  story.tick()
  expect(story.standing).toEqual([REFUND])
})
