/**
 * Each line of the table of deposits that go wrong (`safety.md`), by its number, told as a story with exact numbers.
 * Lines 11 and 12 stand in `loss.test.ts`, lines 10, 13 and 14 are not decided here.
 */
import { describe, expect, test } from 'vitest'
import { dollars, minutes, PRICING, quoted, REFUND_FEE, Story, usdc } from './fixtures.ts'
import { ONE } from './money.ts'

const OUTPUT = 'output: 99300000 to recipient'
const OPEN = { requestedUnits: null, quote: null }

describe('1: the same deposit seen twice', () => {
  test('counts once, whoever saw and confirmed it', () => {
    const story = new Story()
    for (let path = 0; path < 2; path++) story.see('a', usdc(100))
    for (let worker = 0; worker < 3; worker++)
      story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    story.see('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
    expect(story.balance('wallet')).toBe(usdc(100))
    expect(story.balance('customer')).toBe(0n)
  })

  test('what a sighting claims of its own state is not believed', () => {
    const story = new Story()
    story.see('a', usdc(100), { state: 'confirmed', outputUnits: usdc(5) })
    expect(story.swap.deposits[0]).toMatchObject({ state: 'seen', outputUnits: 0n })
    story.tick()
    expect(story.standing).toEqual([])
  })
})

describe('2: a second real deposit', () => {
  test('to a completed swap is returned on its own', () => {
    const story = new Story()
    story.deposit('a', usdc(100))
    story.land('output')
    story.deposit('b', usdc(40))
    expect(story.swap.status).toBe('completed')
    expect(story.standing).toEqual([OUTPUT, 'return of b: 39700000 to sender'])
    story.land('return', 'b')
    expect(story.balance('customer')).toBe(0n)
    expect(story.balance('promised')).toBe(0n)
  })

  test('to a refunded or failed swap is returned on its own, and delivers nothing', () => {
    for (const [units, status] of [[usdc(2000), 'failed'] as const, [usdc(100), 'refunded'] as const]) {
      const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
      story.deposit('a', units)
      story.land('refund', 'a')
      expect(story.swap.status).toBe(status)
      story.context = { ...story.context, pricing: PRICING }
      story.deposit('b', usdc(100))
      expect(story.swap.status).toBe(status)
      expect(story.standing.at(-1)).toBe('return of b: 99700000 to sender')
    }
  })
})

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
    expect(story.swap.status).toBe('failed')
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.apply({ type: 'refund_address_given', address: 'home' })
    expect(story.standing).toEqual(['refund of a: 1200000 to home'])
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
  ])('a %s amount is failed and refunded', (_, fields) => {
    const story = new Story(fields)
    story.deposit('a', usdc(1000) + 1n)
    expect(story.swap).toMatchObject({
      status: 'failed',
      failReason: 'received_more_than_valid_range',
      closedAt: minutes(1),
    })
    expect(story.standing).toEqual(['refund of a: 999700001 to sender'])
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

describe('7: after expiry', () => {
  const expired = () => {
    const story = new Story().at(360)
    story.tick()
    expect(story.swap).toMatchObject({ status: 'expired', closedAt: minutes(360) })
    return story.at(400)
  }

  test('is re-priced inside the slippage and paid', () => {
    const story = expired()
    story.context = { ...story.context, pricing: { ...PRICING, sourcePrice: (ONE * 995n) / 1000n } }
    story.deposit('a', usdc(100))
    expect(story.swap).toMatchObject({ status: 'ls_transfer_pending', closedAt: null })
    expect(story.standing).toEqual(['output: 98800316 to recipient'])
  })

  test('is paid at the least that was agreed to, and refunded one unit below', () => {
    for (const [least, status] of [
      [99_300_000n, 'ls_transfer_pending'] as const,
      [99_300_001n, 'refund_pending'] as const,
    ]) {
      const story = expired()
      story.swap = { ...story.swap, quote: { ...quoted(usdc(100)), minReceiveUnits: least } }
      story.deposit('a', usdc(100))
      expect(story.swap.status).toBe(status)
    }
  })

  test('is refunded outside the slippage', () => {
    const story = expired()
    story.context = { ...story.context, pricing: { ...PRICING, sourcePrice: (ONE * 98n) / 100n } }
    story.deposit('a', usdc(100))
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
    expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
  })

  test('is not dropped where nothing is known at that moment: it is tried again', () => {
    const story = expired()
    story.context = { ...story.context, pricing: null, refundFeeUnits: null }
    story.deposit('a', usdc(100))
    expect(story.swap.status).toBe('expired')
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.context = { ...story.context, pricing: PRICING, refundFeeUnits: REFUND_FEE }
    story.tick()
    expect(story.standing).toEqual([OUTPUT])
  })

  test('the stored quote holds up to its last moment, and is re-priced after it', () => {
    const better = { ...PRICING, sourcePrice: (ONE * 11n) / 10n }
    const inTime = new Story({}, { pricing: better }).at(10)
    inTime.see('a', usdc(100))
    inTime.at(40).apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    expect(inTime.standing).toEqual([OUTPUT])
    const late = new Story({}, { pricing: better })
    late.see('a', usdc(100), { seenAt: new Date(minutes(10).getTime() + 1) })
    late.at(40).apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    expect(late.standing).toEqual([`output: ${quoted(usdc(100), better).receiveUnits} to recipient`])
  })

  test('a deposit that left the chain and landed again is judged by when it landed', () => {
    const story = new Story({}, { pricing: { ...PRICING, sourcePrice: ONE / 2n } })
    story.see('a', usdc(100))
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    story.at(30).deposit('a', usdc(100))
    expect(story.swap.failReason).toBe('degraded_quote')
  })

  test('above the maximum it is failed, with a new closing date', () => {
    const story = expired()
    story.deposit('a', usdc(2000))
    expect(story.swap).toMatchObject({ status: 'failed', closedAt: minutes(400) })
  })
})

describe('8: after the payout or the refund began', () => {
  test.each(['output', 'refund'] as const)('a deposit after the %s began is returned on its own', (kind) => {
    const story = new Story({}, kind === 'refund' ? { pricing: { ...PRICING, liquidityUnits: 0n } } : {})
    story.deposit('a', usdc(100))
    story.start(kind)
    const before = story.standing
    story.deposit('b', usdc(100))
    expect(story.standing).toEqual([...before, 'return of b: 99700000 to sender'])
  })

  test('the swap is refunded once everything is back', () => {
    const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
    story.deposit('a', usdc(100))
    story.deposit('b', usdc(50))
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refund_pending')
    story.land('return', 'b')
    expect(story.swap.status).toBe('refunded')
  })
})

describe('9: dust from a stranger', () => {
  const dust = { from: 'stranger' }

  test('does not stop a waiting swap from being paid, nor change to whom', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('d', 1n, dust)
    expect(story.swap.status).toBe('user_transfer_pending')
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
    expect(story.balance('customer')).toBe(0n)
  })

  test('does not fail a swap whose window closes: a late deposit still re-opens it', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('d', 1n, dust)
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
    story.deposit('a', usdc(100))
    expect(story.swap.status).toBe('ls_transfer_pending')
  })

  test('is what does not cover its gas, to the unit', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('d', REFUND_FEE, dust)
    story.at(360).tick()
    expect(story.swap.status).toBe('expired')
    story.deposit('e', REFUND_FEE + 1n, dust)
    expect(story.swap.status).toBe('refund_pending')
  })

  test('does not touch an expired swap', () => {
    const story = new Story().at(360)
    story.tick()
    story.deposit('d', 1n, dust)
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
    expect(story.balance('fees')).toBe(-1n)
  })

  test('does not hold up a refund', () => {
    const story = new Story()
    story.deposit('d', 1n, dust)
    story.deposit('a', usdc(60))
    story.at(360).tick()
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refunded')
    expect(story.balance('customer')).toBe(0n)
  })

  test('does not move a completed swap', () => {
    const story = new Story({ usesDepositAddress: true })
    story.deposit('a', usdc(100))
    story.land('output')
    story.deposit('d', 1n, dust)
    expect(story.swap.status).toBe('completed')
    expect(story.alerts).toEqual([])
  })
})
