/** Deposit rules 3 to 6: parts, too little, more than requested, too much. Each test has exact numbers. */
import { describe, expect, test } from 'vitest'
import { dollars, FALLEN, minutes, PRICING, quoted, REFUND_FEE, Story, usdc } from '../fixtures.ts'
import { KEPT } from '../fixtures-kept.ts'
import { ONE } from '../money/money.ts'
import type { Pricing } from './quote.ts'

const OUTPUT = 'output: 99300000 to recipient'
const OPEN = { requestedUnits: null, quote: null }

describe('3: several part deposits', () => {
  test('that reach the amount are summed, and nothing is paid on a part', () => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.at(20).tick()
    expect(story.swap.status).toBe('user_transfer_pending')
    expect(story.standing).toEqual([])
    story.deposit('b', usdc(60))
    expect(story.standing).toEqual(['output: 119280000 to recipient'])
  })

  test('of at least 90 % are swapped after two minutes without the rest, and not a moment earlier', () => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.at(2).deposit('b', usdc(30))
    expect(story.step.dueAt).toEqual(minutes(4))
    story.context = { ...story.context, now: new Date(minutes(4).getTime() - 1) }
    story.tick()
    expect(story.standing).toEqual([])
    story.at(4).tick()
    expect(story.standing).toEqual(['output: 89310000 to recipient'])
  })

  test('of less than 90 % are swapped at the window’s end, at today’s price if they came after the term', () => {
    const story = new Story()
    story.at(11).deposit('a', usdc(90) - 1n)
    expect(story.step.dueAt).toBe(null)
    story.at(359).tick()
    expect(story.standing).toEqual([])
    const late = { ...story.context, pricing: { ...PRICING, sourcePrice: (ONE * 995n) / 1000n } }
    story.context = late
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'ls_transfer_pending', failReason: null })
    expect(story.standing).toEqual(['output: 88860265 to recipient'])
  })

  test('of less than 90 % are refunded if today’s price is outside the slippage', () => {
    const story = new Story()
    story.at(11).deposit('a', usdc(60))
    story.deposit('b', usdc(20))
    story.context = { ...story.context, pricing: FALLEN }
    story.at(360).tick()
    story.at(390).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
    expect(story.standing).toEqual(['refund of a: 59700000 to sender', 'refund of b: 19700000 to sender'])
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refund_pending')
    story.land('refund', 'b')
    expect(story.swap).toMatchObject({ status: 'refunded', closedAt: minutes(390) })
  })

  test('a test deposit and then the full amount: all of it is swapped', () => {
    const story = new Story()
    story.deposit('a', usdc(5))
    story.at(5).deposit('b', usdc(100))
    expect(story.standing).toEqual(['output: 104295000 to recipient'])
  })

  test('wait for another unconfirmed deposit, however long, and are summed with it', () => {
    const story = new Story()
    story.deposit('a', usdc(95))
    story.at(2).see('b', usdc(5))
    story.at(60).tick()
    expect(story.standing).toEqual([])
    story.apply({ type: 'deposit_confirmed', depositId: 'b', units: usdc(5) })
    expect(story.standing).toEqual([OUTPUT])
  })

  test('are swapped without an unconfirmed deposit that disappeared', () => {
    const story = new Story()
    story.deposit('a', usdc(95))
    story.at(2).see('b', usdc(5))
    story.at(60).apply({ type: 'deposit_gone', depositId: 'b' })
    story.tick()
    expect(story.standing).toEqual(['output: 94305000 to recipient'])
  })

  test('restart the wait with each part, except dust', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('a', usdc(91))
    story.at(2).deposit('b', usdc(1))
    story.at(3).deposit('d', REFUND_FEE, { from: 'stranger' })
    expect(story.standing).toEqual([])
    expect(story.step.dueAt).toEqual(minutes(4))
    story.at(4).tick()
    expect(story.swap.status).toBe('ls_transfer_pending')
  })

  test('in full wait for another unconfirmed deposit, but no longer than for a missing rest', () => {
    const full = () => {
      const story = new Story()
      story.see('b', usdc(50))
      story.deposit('a', usdc(100))
      expect(story.standing).toEqual([])
      return story
    }
    const summed = full()
    summed.at(2).apply({ type: 'deposit_confirmed', depositId: 'b', units: usdc(50) })
    expect(summed.standing).toEqual(['output: 149250000 to recipient'])
    const alone = full()
    alone.at(3).tick()
    expect(alone.standing).toEqual([OUTPUT])
    alone.apply({ type: 'deposit_confirmed', depositId: 'b', units: usdc(50) })
    expect(alone.standing).toEqual([OUTPUT, 'return of b: 49700000 to sender'])
  })

  test('in full do not wait for a third party’s dust', () => {
    const story = new Story()
    story.see('d', REFUND_FEE, { from: 'stranger' })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
  })

  test('wait for a deposit that was seen in time', () => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.at(355).see('b', usdc(40))
    story.at(400).tick()
    expect(story.swap.status).toBe('user_transfer_pending')
    story.apply({ type: 'deposit_confirmed', depositId: 'b', units: usdc(40) })
    expect(story.swap.status).toBe('ls_transfer_pending')
  })

  test.each([360, 361])('do not wait for a deposit that was seen after the window, at minute %d', (minute) => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.at(minute).see('b', usdc(40))
    story.tick()
    expect(story.standing).toEqual(['output: 59340000 to recipient'])
    story.apply({ type: 'deposit_confirmed', depositId: 'b', units: usdc(40) })
    expect(story.standing).toEqual(['output: 59340000 to recipient', 'return of b: 39700000 to sender'])
  })

  test('one base unit short are enough at once, and the quote shrinks with it', () => {
    const story = new Story()
    story.deposit('a', usdc(100) - 1n)
    expect(story.standing).toEqual(['output: 99299999 to recipient'])
    expect(story.balance('customer')).toBe(0n)
    const two = new Story()
    two.deposit('a', usdc(100) - 2n)
    expect(two.standing).toEqual([])
  })

  test('each covering the amount, if only it is swapped: the smallest is used, of equal ones the first', () => {
    const story = new Story({}, { pricing: null })
    story.deposit('a', usdc(150))
    story.deposit('b', usdc(110))
    story.deposit('c', usdc(110))
    story.context = { ...story.context, pricing: FALLEN }
    story.tick()
    expect(story.swap.deposits.map(({ outputUnits }) => outputUnits)).toEqual([0n, usdc(100), 0n])
  })
})

describe('4: below the minimum', () => {
  test('fails with its reason at the deadline, and is refunded if it covers the gas', () => {
    const story = new Story(OPEN)
    story.deposit('a', usdc(1.5))
    expect(story.swap.status).toBe('user_transfer_pending')
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'failed', failReason: 'received_less_than_valid_range' })
    expect(story.standing).toEqual(['refund of a: 1200000 to sender'])
    story.land('refund', 'a')
    expect(story.swap.status).toBe('failed')
  })

  test('the minimum itself is swapped at the window’s end', () => {
    for (const [units, status] of [[usdc(2), 'ls_transfer_pending'] as const, [usdc(2) - 1n, 'failed'] as const]) {
      const story = new Story({ requestedUnits: usdc(5), quote: quoted(usdc(5)) })
      story.deposit('a', units)
      story.at(360).tick()
      expect(story.swap.status).toBe(status)
    }
  })

  test('is kept as a fee if it does not cover the gas', () => {
    for (const usesDepositAddress of [true, false]) {
      const story = new Story({ ...OPEN, usesDepositAddress })
      story.deposit('a', REFUND_FEE)
      story.at(360).tick()
      expect(story.swap.status).toBe('failed')
      expect(story.standing).toEqual([])
      expect(story.balance('fees')).toBe(-REFUND_FEE)
      expect(story.balance('customer')).toBe(0n)
      expect(story.alerts).toEqual([KEPT])
    }
  })

  test('is held with an alert if there is no safe refund address, until one is given', () => {
    const story = new Story({ ...OPEN, usesDepositAddress: true })
    story.deposit('a', usdc(1.5))
    story.at(360).tick()
    const reason = { failReason: 'received_less_than_valid_range' }
    expect(story.swap).toMatchObject({ status: 'pending_refund', ...reason, closedAt: null })
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['a'] })
    expect(story.swap).toMatchObject({ status: 'refund_pending', ...reason })
    expect(story.standing).toEqual(['refund of a: 1200000 to home'])
    story.land('refund', 'a')
    expect(story.swap).toMatchObject({ status: 'refunded', ...reason })
  })
})

describe('5: more than requested, inside the limits', () => {
  const sent = (units: bigint, pricing: Pricing) => {
    const story = new Story({}, { pricing })
    story.deposit('a', units)
    expect(story.balance('customer')).toBe(0n)
    return story.standing
  }

  test('is swapped at today’s price, with the quoted network fee and the service fee of the sum', () => {
    expect(sent(usdc(150), PRICING)).toEqual(['output: 149250000 to recipient'])
    expect(sent(usdc(150), { ...PRICING, blockchainFeeUsd: dollars(3) })).toEqual(['output: 149250000 to recipient'])
    expect(sent(usdc(150), { ...PRICING, sourcePrice: 2n * ONE })).toEqual(['output: 298600000 to recipient'])
  })

  test('is swapped down to the slippage, to the unit; below that the excess is returned', () => {
    const least = { ...PRICING, sourcePrice: (ONE * 99n) / 100n }
    expect(sent(usdc(150), least)).toEqual(['output: 147756411 to recipient'])
    const back = [OUTPUT, 'return of a: 49700000 to sender']
    expect(sent(usdc(150), { ...PRICING, sourcePrice: least.sourcePrice - 1n })).toEqual(back)
  })

  test('never delivers less than quoted', () => {
    const lower = { ...PRICING, sourcePrice: (ONE * 995n) / 1000n }
    expect(sent(usdc(100.4), lower)).toEqual([OUTPUT, 'return of a: 100000 to sender'])
    expect(sent(usdc(101), lower)).toEqual(['output: 99796908 to recipient'])
  })

  test('an excess that liquidity does not cover is returned', () => {
    expect(sent(usdc(150), { ...PRICING, liquidityUnits: usdc(100) })).toEqual([
      OUTPUT,
      'return of a: 49700000 to sender',
    ])
  })

  test('an excess that is not swapped and does not cover its gas is kept, to the unit', () => {
    const story = new Story({}, { pricing: FALLEN })
    story.deposit('a', usdc(100) + REFUND_FEE)
    expect(story.standing).toEqual([OUTPUT])
    expect(story.balance('fees')).toBe(-usdc(0.7) - REFUND_FEE)
    const more = new Story({}, { pricing: FALLEN })
    more.deposit('a', usdc(100) + REFUND_FEE + 1n)
    expect(more.standing).toEqual([OUTPUT, 'return of a: 1 to sender'])
  })

  test('a part after the term does not reduce what arrived in the term', () => {
    const story = new Story({}, { pricing: FALLEN }).at(9)
    story.see('a', usdc(100))
    story.at(11).deposit('d', usdc(1), { from: 'stranger' })
    story.at(12).apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    expect(story.standing).toEqual([OUTPUT, 'return of d: 700000 to stranger'])
  })

  test('after the term all of it is swapped at today’s price and fees, or refunded', () => {
    const after = (pricing: Pricing) => {
      const story = new Story({}, { pricing }).at(11)
      story.deposit('a', usdc(150))
      return story
    }
    const dear = { ...PRICING, blockchainFeeUsd: dollars(1) }
    expect(after(dear).standing).toEqual(['output: 148750000 to recipient'])
    const fallen = after(FALLEN).at(41)
    fallen.tick()
    expect(fallen.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
  })

  test('an open amount is swapped in full', () => {
    const story = new Story(OPEN)
    story.deposit('a', usdc(150))
    expect(story.standing).toEqual([`output: ${quoted(usdc(150)).receiveUnits} to recipient`])
    expect(quoted(usdc(150)).receiveUnits).toBe(149_250_000n)
  })
})

describe('6: above the maximum', () => {
  test.each([
    ['fixed', {}],
    ['open', OPEN],
  ])('a %s amount fails and is refunded if it came from the sender that the swap named', (_, fields) => {
    const story = new Story({ ...fields, sourceAddress: 'sender' })
    story.deposit('a', usdc(1000) + 1n)
    expect(story.swap).toMatchObject({
      status: 'failed',
      failReason: 'received_more_than_valid_range',
      closedAt: minutes(1),
    })
    expect(story.standing).toEqual(['refund of a: 999700001 to sender'])
  })

  test('on a deposit address without a refund address, it is owed with the reason until one is given', () => {
    const story = new Story({ usesDepositAddress: true })
    story.deposit('a', usdc(1200))
    const reason = { failReason: 'received_more_than_valid_range' }
    expect(story.swap).toMatchObject({ status: 'pending_refund', ...reason, closedAt: null })
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['a'] })
    expect(story.standing).toEqual(['refund of a: 1199700000 to home'])
    story.land('refund', 'a')
    expect(story.swap).toMatchObject({ status: 'refunded', ...reason })
  })

  test.each([
    ['whom the swap named', { sourceAddress: 'sender' }, 'stranger'],
    ['whom the swap named, and nobody knows from whom', { sourceAddress: 'sender', refundAddress: 'home' }, null],
    ['nobody in particular', {}, 'stranger'],
  ])('not from %s: it is returned alone, and the swap keeps waiting', (_, fields, from) => {
    const story = new Story(fields)
    story.deposit('m', usdc(1200), { from })
    const back = `return of m: 1199700000 to ${from ?? 'home'}`
    expect(story.swap).toMatchObject({ status: 'user_transfer_pending', failReason: null })
    expect(story.standing).toEqual([back])
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([back, OUTPUT])
    story.land('return', 'm')
    story.land('output')
    expect(story.swap.status).toBe('completed')
    expect(story.balance('customer')).toBe(0n)
  })

  test('a third party’s deposit is returned from an expired swap, which a real deposit re-opens', () => {
    const story = new Story({ sourceAddress: 'sender' }).at(360)
    story.deposit('m', usdc(1200), { from: 'stranger' })
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
    story.at(400).deposit('n', usdc(1200), { from: 'stranger' })
    expect(story.swap.status).toBe('expired')
    story.deposit('a', usdc(100))
    expect(story.standing).toContain(OUTPUT)
  })

  test('a third party’s deposit without a refund address is held, with an alert at expiry', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('m', usdc(1200), { from: null })
    expect(story.standing).toEqual([])
    story.at(360).tick()
    expect(story.swap.status).toBe('expired')
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['m'] })
    expect(story.standing).toEqual(['return of m: 1199700000 to home'])
  })

  test('parts of an open amount above the maximum: those that fit are swapped, the others are returned', () => {
    const story = new Story({ ...OPEN, refundAddress: 'home' }, { pricing: null })
    for (const id of ['a', 'b', 'c']) story.deposit(id, usdc(450))
    story.context = { ...story.context, pricing: PRICING }
    story.tick()
    expect(story.standing).toEqual([
      `output: ${quoted(usdc(900)).receiveUnits} to recipient`,
      'return of c: 449700000 to home',
    ])
  })

  test('the maximum itself is swapped', () => {
    const story = new Story(OPEN)
    story.deposit('a', usdc(1000))
    expect(story.swap.status).toBe('ls_transfer_pending')
  })

  test('the requested amount is swapped even if the maximum has dropped since', () => {
    const story = new Story({}, { pricing: { ...PRICING, maxUsd: dollars(50) } })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
  })

  test('a third party’s part does not push a fixed amount over the maximum', () => {
    const story = new Story({}, { pricing: { ...PRICING, maxUsd: dollars(110) } })
    story.deposit('a', usdc(60))
    story.deposit('b', usdc(99), { from: 'stranger' })
    expect(story.standing).toEqual([OUTPUT, 'return of b: 58700000 to stranger'])
  })
})
