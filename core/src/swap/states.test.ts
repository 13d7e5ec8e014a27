/** Each row of the table of swap states, and payouts that cannot be made. */
import { describe, expect, test } from 'vitest'
import { FALLEN, GAS, minutes, PRICING, quoted, REFUEL, REFUND_FEE, Story, usdc } from '../fixtures.ts'
import { STATUSES } from '../money/vocabulary.ts'
import type { PayoutKind } from './payout.ts'
import { isClosed } from './swap.ts'

/** An excess is returned. */
const BACK = { pricing: FALLEN }
const DRY = { pricing: { ...PRICING, liquidityUnits: 0n } }
const OUTPUT = 'output: 99300000 to recipient'

function abandon(story: Story, kind: PayoutKind, depositId: string | null = null): void {
  story.apply({ type: 'payout_abandoned', kind, depositId })
}

/** The chain itself rejected it. */
function refuse(story: Story, kind: PayoutKind, depositId: string): void {
  story.apply({ type: 'payout_abandoned', kind, depositId, refused: true })
}

test('terminal statuses are these four', () => {
  expect(STATUSES.filter(isClosed)).toEqual(['completed', 'failed', 'expired', 'refunded'])
})

describe('user_transfer_pending', () => {
  test('is left when a deposit is confirmed, not when it is seen', () => {
    const story = new Story()
    story.see('a', usdc(100))
    expect(story.swap.status).toBe('user_transfer_pending')
    story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    expect(story.swap.status).toBe('ls_transfer_pending')
  })

  test('expires at the end of the window and not a moment earlier', () => {
    const story = new Story()
    story.context = { ...story.context, now: new Date(minutes(360).getTime() - 1) }
    story.tick()
    expect(story.swap.status).toBe('user_transfer_pending')
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'expired', closedAt: minutes(360) })
  })

  test('waits for the route to come back, and refunds the deposit if it does not', () => {
    const story = new Story({}, { pricing: null })
    story.deposit('a', usdc(100))
    story.at(359).tick()
    expect(story.swap.status).toBe('user_transfer_pending')
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'swap_route_unavailable' })
    const back = new Story({}, { pricing: null })
    back.deposit('a', usdc(100))
    back.context = { ...back.context, pricing: PRICING }
    back.tick()
    expect(back.standing).toEqual([OUTPUT])
  })
})

describe('ls_transfer_pending', () => {
  test('is completed when the output and the refuel are confirmed', () => {
    const pricing = { ...PRICING, refuel: REFUEL }
    const story = new Story({ refuel: GAS, quote: quoted(usdc(100), pricing) }, { pricing })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual(['output: 98300000 to recipient', 'refuel: 500000000000000 to recipient'])
    story.land('output')
    expect(story.swap.status).toBe('ls_transfer_pending')
    story.land('refuel')
    expect(story.swap.status).toBe('completed')
  })

  test('is completed once delivered, even while an excess is still being returned', () => {
    const story = new Story({}, BACK)
    story.deposit('a', usdc(150))
    story.land('output')
    expect(story.swap.status).toBe('completed')
    story.land('return', 'a')
    expect(story.balance('promised')).toBe(0n)
  })

  test('is refunded if it cannot be paid', () => {
    const story = new Story()
    story.deposit('a', usdc(100))
    abandon(story, 'output')
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'payout_rejected' })
    expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
    expect(story.alerts).toEqual(['a output could not be paid'])
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refunded')
    expect(story.balance('fees')).toBe(-REFUND_FEE)
  })

  test('is refunded for the rest if an excess was returned before', () => {
    const story = new Story({}, BACK)
    story.deposit('a', usdc(150))
    story.land('return', 'a')
    abandon(story, 'output')
    expect(story.standing).toEqual(['return of a: 49700000 to sender', 'refund of a: 99700000 to sender'])
    // A return that is abandoned and ordered again still covers only the rest, not the whole deposit.
    abandon(story, 'refund', 'a')
    expect(story.swap.status).toBe('pending_refund')
    story.tick()
    expect(story.standing).toEqual(['return of a: 49700000 to sender', 'refund of a: 99700000 to sender'])
    story.land('refund', 'a')
    expect(story.balance('wallet')).toBe(2n * REFUND_FEE)
    expect(story.balance('customer')).toBe(0n)
  })

  test('is refunded except for a refuel that is on its way', () => {
    const pricing = { ...PRICING, refuel: REFUEL }
    const story = new Story({ refuel: GAS, quote: quoted(usdc(100), pricing) }, { pricing })
    story.deposit('a', usdc(100))
    story.start('refuel')
    abandon(story, 'output')
    expect(story.standing).toEqual(['refuel: 500000000000000 to recipient', 'refund of a: 98700000 to sender'])
  })
})

describe('refund_pending', () => {
  test('pays to the refund address before any other', () => {
    const story = new Story({ refundAddress: 'home', sourceAddress: 'sender' }, DRY)
    story.deposit('a', usdc(100))
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'insufficient_liquidity' })
    expect(story.standing).toEqual(['refund of a: 99700000 to home'])
  })

  test('an address given later does not redirect an ordered refund', () => {
    const story = new Story({}, DRY)
    story.deposit('a', usdc(100))
    story.apply({ type: 'refund_address_given', address: 'thief', depositIds: ['a'] })
    expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
  })

  test('an address that refuses repeatedly is given up, and another one is tried', () => {
    const story = new Story({}, DRY)
    story.deposit('a', usdc(100))
    for (let tries = 0; tries < 3; tries++) {
      expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
      refuse(story, 'refund', 'a')
      story.tick()
    }
    expect(story.swap.status).toBe('pending_refund')
    expect(story.standing).toEqual([])
    story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['a'] })
    expect(story.swap.status).toBe('refund_pending')
    expect(story.standing).toEqual(['refund of a: 99700000 to home'])
  })

  test('an address is not given up for outages', () => {
    const story = new Story({}, DRY)
    story.deposit('a', usdc(100))
    for (let outage = 0; outage < 20; outage++) {
      abandon(story, 'refund', 'a')
      story.tick()
      expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
    }
    for (let tries = 0; tries < 2; tries++) {
      refuse(story, 'refund', 'a')
      abandon(story, 'refund', 'a')
      story.tick()
    }
    expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
    refuse(story, 'refund', 'a')
    story.tick()
    expect(story.standing).toEqual([])
  })

  test('a refund that an operator rejected is owed until an address is given, not ordered again', () => {
    const story = new Story({}, DRY)
    story.deposit('a', usdc(100))
    story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', rejected: true })
    expect(story.swap.status).toBe('pending_refund')
    for (const minute of [10, 400, 4000]) story.at(minute).tick()
    expect(story.swap.status).toBe('pending_refund')
    expect(story.standing).toEqual([])
    story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['a'] })
    expect(story.standing).toEqual(['refund of a: 99700000 to home'])
  })

  test('another deposit does not send out a rejected payout that is not voided yet', () => {
    const story = new Story({}, DRY)
    story.deposit('a', usdc(100))
    const [refund] = story.swap.payouts
    if (refund) refund.rejected = true
    story.deposit('b', usdc(20))
    story.tick()
    expect(story.standing).toEqual(['refund of a: 99700000 to sender', 'return of b: 19700000 to sender'])
    story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', rejected: true })
    story.tick()
    expect(story.standing).toEqual(['return of b: 19700000 to sender'])
  })
})

describe('pending_refund', () => {
  test('holds money without a safe address, until one is given', () => {
    const story = new Story({ usesDepositAddress: true }, DRY)
    story.deposit('a', usdc(100))
    story.tick()
    expect(story.swap.status).toBe('pending_refund')
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['a'] })
    expect(story.swap.status).toBe('refund_pending')
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refunded')
  })

  test('a deposit address is paid back only to the sender that the swap named', () => {
    const named = new Story({ usesDepositAddress: true, sourceAddress: 'sender' }, DRY)
    named.deposit('a', usdc(100))
    expect(named.standing).toEqual(['refund of a: 99700000 to sender'])
    const other = new Story({ usesDepositAddress: true, sourceAddress: 'sender' }, DRY)
    other.deposit('a', usdc(100), { from: 'exchange' })
    expect(other.swap.status).toBe('pending_refund')
    const unknown = new Story({}, DRY)
    unknown.deposit('a', usdc(100), { from: null })
    expect(unknown.swap.status).toBe('pending_refund')
  })

  test('holds a deposit that does not cover the gas, until gas is cheaper', () => {
    const story = new Story({ refundAddress: 'home' }, { ...DRY, refundFeeUnits: usdc(100) })
    story.deposit('a', usdc(100))
    expect(story.swap.status).toBe('pending_refund')
    story.context = { ...story.context, refundFeeUnits: REFUND_FEE }
    story.tick()
    expect(story.standing).toEqual(['refund of a: 99700000 to home'])
  })

  test('holds small change if something else was returned before', () => {
    const story = new Story({ refundAddress: 'home' }, BACK)
    story.deposit('a', usdc(150))
    story.context = { ...story.context, refundFeeUnits: usdc(120) }
    abandon(story, 'output')
    expect(story.swap.status).toBe('refund_pending')
    story.land('return', 'a')
    expect(story.swap.status).toBe('pending_refund')
    expect(story.balance('customer')).toBe(-usdc(100))
  })

  test('holds while the gas is not known', () => {
    const story = new Story({}, { ...DRY, refundFeeUnits: null })
    story.deposit('a', usdc(100))
    expect(story.swap.status).toBe('pending_refund')
    story.context = { ...story.context, refundFeeUnits: REFUND_FEE }
    story.tick()
    expect(story.swap.status).toBe('refund_pending')
  })
})

describe('payouts', () => {
  test('a return that cannot be paid is free again and is retried', () => {
    const story = new Story({}, BACK)
    story.deposit('a', usdc(150))
    abandon(story, 'return', 'a')
    expect(story.balance('customer')).toBe(-usdc(50))
    expect(story.alerts).toContain('a deposit is held and owed')
    story.tick()
    expect(story.standing).toEqual([OUTPUT, 'return of a: 49700000 to sender'])
  })

  test('a payout that is confirmed after it was abandoned raises an alert', () => {
    const story = new Story()
    story.deposit('a', usdc(100))
    abandon(story, 'output')
    story.apply({ type: 'payout_confirmed', kind: 'output', depositId: null, from: 'treasury' })
    expect(story.alerts.at(-1)).toBe('a payout was sent that was struck out')
  })

  test('a deposit that is partly returned already is used first when the rest arrives', () => {
    const story = new Story({}, BACK)
    story.deposit('a', usdc(60))
    story.deposit('b', usdc(60))
    story.land('return', 'b')
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.swap.status).toBe('user_transfer_pending')
    story.deposit('c', usdc(100))
    expect(story.standing).toEqual(['return of b: 19700000 to sender', OUTPUT, 'return of c: 39700000 to sender'])
    expect(story.balance('customer')).toBe(0n)
  })

  test('an event for a deposit or payout that the swap does not have changes nothing', () => {
    const story = new Story()
    const before = story.swap
    story.apply({ type: 'deposit_confirmed', depositId: 'x', units: usdc(100) })
    story.apply({ type: 'deposit_gone', depositId: 'x' })
    story.land('output')
    abandon(story, 'refund', 'x')
    expect(story.swap).toEqual(before)
    expect(story.postings).toEqual([])
    expect(story.alerts).toEqual([])
  })

  test('the given swap is not mutated', () => {
    const story = new Story({}, BACK)
    story.see('a', usdc(150))
    const before = story.swap
    const copy = structuredClone(before)
    story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(150) })
    expect(before).toEqual(copy)
  })
})

describe('a confirmed payout that proves not made, because a reorg went deeper than its tier', () => {
  const undone = { type: 'payout_undone', kind: 'output', depositId: null, from: 'treasury' } as const

  test('is owed again, once, and its swap is no longer completed', () => {
    const story = new Story()
    story.deposit('a', usdc(100))
    story.land('output')
    expect(story.swap.status).toBe('completed')
    story.apply(undone)
    story.apply(undone)
    expect(story.swap).toMatchObject({ status: 'ls_transfer_pending', closedAt: null })
    expect(story.standing).toEqual([OUTPUT])
    expect(story.swap.payouts).toHaveLength(1)
    story.land('output')
    expect(story.swap.status).toBe('completed')
  })

  test('is ignored if it was never confirmed', () => {
    const story = new Story()
    story.deposit('a', usdc(100))
    const before = story.swap
    story.apply(undone)
    expect(story.swap).toEqual(before)
  })
})
