/**
 * Lines 3 to 6 of the table of deposits that go wrong (`safety.md`), and "What arrives is what is swapped"
 * (`decisions.md`): parts, too little, more than asked, too much. Told as stories with exact numbers.
 */
import { describe, expect, test } from 'vitest'
import { dollars, minutes, PRICING, quoted, REFUND_FEE, Story, usdc } from './fixtures.ts'

const OUTPUT = 'output: 99300000 to recipient'
const OPEN = { requestedUnits: null, quote: null }

describe('3: several part deposits', () => {
  test('that reach the amount are summed, and nothing is paid on a part', () => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.tick()
    expect(story.swap.status).toBe('user_transfer_pending')
    expect(story.standing).toEqual([])
    story.deposit('b', usdc(60))
    expect(story.standing).toEqual([OUTPUT, 'return of b: 19700000 to sender'])
  })

  test('that do not reach it are refunded each at the deadline', () => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.deposit('b', usdc(30))
    story.at(359).tick()
    expect(story.standing).toEqual([])
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'received_less_than_valid_range' })
    expect(story.standing).toEqual(['refund of a: 59700000 to sender', 'refund of b: 29700000 to sender'])
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refund_pending')
    story.land('refund', 'b')
    expect(story.swap).toMatchObject({ status: 'refunded', closedAt: minutes(360) })
  })

  test('and then one that covers the amount alone: that one is swapped, the part goes back', () => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.deposit('b', usdc(100))
    expect(story.standing).toEqual([OUTPUT, 'return of a: 59700000 to sender'])
  })

  test('of which several cover it alone: the smallest is swapped, of equal ones the first', () => {
    const story = new Story({}, { pricing: null })
    story.deposit('a', usdc(150))
    story.deposit('b', usdc(110))
    story.deposit('c', usdc(110))
    story.context = { ...story.context, pricing: PRICING }
    story.tick()
    expect(story.swap.deposits.map(({ outputUnits }) => outputUnits)).toEqual([0n, usdc(100), 0n])
  })

  test('wait for one that was seen in time', () => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.at(355).see('b', usdc(40))
    story.at(400).tick()
    expect(story.swap.status).toBe('user_transfer_pending')
    story.apply({ type: 'deposit_confirmed', depositId: 'b', units: usdc(40) })
    expect(story.swap.status).toBe('ls_transfer_pending')
  })

  test.each([360, 361])('do not wait for one that came after the window, at minute %d', (minute) => {
    const story = new Story()
    story.deposit('a', usdc(60))
    story.at(minute).see('b', usdc(40))
    story.tick()
    expect(story.swap.status).toBe('refund_pending')
  })

  test('of which one is one base unit short are enough, and the quote shrinks with it', () => {
    const story = new Story()
    story.deposit('a', usdc(100) - 1n)
    expect(story.standing).toEqual(['output: 99299999 to recipient'])
    expect(story.balance('customer')).toBe(0n)
    const two = new Story()
    two.deposit('a', usdc(100) - 2n)
    expect(two.standing).toEqual([])
  })
})

describe('4: below the minimum', () => {
  test('is failed with its reason at the deadline, and refunded where it covers the gas', () => {
    const story = new Story(OPEN)
    story.deposit('a', usdc(1.5))
    expect(story.swap.status).toBe('user_transfer_pending')
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'failed', failReason: 'received_less_than_valid_range' })
    expect(story.standing).toEqual(['refund of a: 1200000 to sender'])
    story.land('refund', 'a')
    expect(story.swap.status).toBe('failed')
  })

  test('the minimum itself is not below it', () => {
    const story = new Story({ requestedUnits: usdc(5), quote: quoted(usdc(5)) })
    story.deposit('a', usdc(2))
    story.at(360).tick()
    expect(story.swap.status).toBe('refund_pending')
  })

  test('is kept and accounted where it does not cover the gas', () => {
    for (const usesDepositAddress of [true, false]) {
      const story = new Story({ ...OPEN, usesDepositAddress })
      story.deposit('a', REFUND_FEE)
      story.at(360).tick()
      expect(story.swap.status).toBe('failed')
      expect(story.standing).toEqual([])
      expect(story.balance('fees')).toBe(-REFUND_FEE)
      expect(story.balance('customer')).toBe(0n)
      expect(story.alerts).toEqual([])
    }
  })

  test('is held with an alert where nobody may safely be paid back, until an address is given', () => {
    const story = new Story({ ...OPEN, usesDepositAddress: true })
    story.deposit('a', usdc(1.5))
    story.at(360).tick()
    const reason = { failReason: 'received_less_than_valid_range' }
    expect(story.swap).toMatchObject({ status: 'pending_refund', ...reason, closedAt: null })
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home' })
    expect(story.swap).toMatchObject({ status: 'refund_pending', ...reason })
    expect(story.standing).toEqual(['refund of a: 1200000 to home'])
    story.land('refund', 'a')
    expect(story.swap).toMatchObject({ status: 'refunded', ...reason })
  })
})

describe('5: more than asked, inside the limits', () => {
  test('of a fixed amount: the quoted amount is paid and the excess goes back', () => {
    const story = new Story()
    story.deposit('a', usdc(150))
    expect(story.standing).toEqual([OUTPUT, 'return of a: 49700000 to sender'])
  })

  test('an excess that does not cover its gas is kept, to the unit', () => {
    const story = new Story()
    story.deposit('a', usdc(100) + REFUND_FEE)
    expect(story.standing).toEqual([OUTPUT])
    expect(story.balance('fees')).toBe(-usdc(0.7) - REFUND_FEE)
    const more = new Story()
    more.deposit('a', usdc(100) + REFUND_FEE + 1n)
    expect(more.standing).toEqual([OUTPUT, 'return of a: 1 to sender'])
  })

  test('of an open amount: what came is swapped', () => {
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
  ])('a %s amount is failed and refunded, where it came from whom the swap named', (_, fields) => {
    const story = new Story({ ...fields, sourceAddress: 'sender' })
    story.deposit('a', usdc(1000) + 1n)
    expect(story.swap).toMatchObject({
      status: 'failed',
      failReason: 'received_more_than_valid_range',
      closedAt: minutes(1),
    })
    expect(story.standing).toEqual(['refund of a: 999700001 to sender'])
  })

  test('at the swap’s own address without a way back it is owed, with the reason, until an address is given', () => {
    const story = new Story({ usesDepositAddress: true })
    story.deposit('a', usdc(1200))
    const reason = { failReason: 'received_more_than_valid_range' }
    expect(story.swap).toMatchObject({ status: 'pending_refund', ...reason, closedAt: null })
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home' })
    expect(story.standing).toEqual(['refund of a: 1199700000 to home'])
    story.land('refund', 'a')
    expect(story.swap).toMatchObject({ status: 'refunded', ...reason })
  })

  test.each([
    ['whom the swap named', { sourceAddress: 'sender' }, 'stranger'],
    ['whom the swap named, and nobody knows from whom', { sourceAddress: 'sender', refundAddress: 'home' }, null],
    ['nobody in particular', {}, 'stranger'],
  ])('not from %s it goes back alone, and the swap goes on waiting', (_, fields, from) => {
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

  test('a stranger’s goes back alone also from an expired swap, which a real deposit still re-opens', () => {
    const story = new Story({ sourceAddress: 'sender' }).at(360)
    story.deposit('m', usdc(1200), { from: 'stranger' })
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
    story.at(400).deposit('n', usdc(1200), { from: 'stranger' })
    expect(story.swap.status).toBe('expired')
    story.deposit('a', usdc(100))
    expect(story.standing).toContain(OUTPUT)
  })

  test('a stranger’s without a way back is held, and told when the swap waits no more', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('m', usdc(1200), { from: null })
    expect(story.standing).toEqual([])
    story.at(360).tick()
    expect(story.swap.status).toBe('expired')
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home' })
    expect(story.standing).toEqual(['return of m: 1199700000 to home'])
  })

  test('parts of an open amount that together are too much: as many as fit are swapped, the others go back', () => {
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

  test('what was asked for is swapped even where the maximum fell since', () => {
    const story = new Story({}, { pricing: { ...PRICING, maxUsd: dollars(50) } })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
  })

  test('a stranger’s part does not push a fixed amount over it', () => {
    const story = new Story({}, { pricing: { ...PRICING, maxUsd: dollars(110) } })
    story.deposit('a', usdc(60))
    story.deposit('b', usdc(99), { from: 'stranger' })
    expect(story.standing).toEqual([OUTPUT, 'return of b: 58700000 to stranger'])
  })
})
