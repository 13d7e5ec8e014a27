/**
 * How long a price is valid. Deposits in the term get the quote while it is not much worse for us than today's price.
 * Otherwise they get today's price if it is within the slippage, retried for half an hour.
 */
import { describe, expect, test } from 'vitest'
import { depositOf, dollars, minutes, PRICING, quoted, Story, usdc } from '../fixtures.ts'
import { ONE } from '../money/money.ts'
import { isNear, type Pricing, quoteFor, resized } from './quote.ts'

/** 100 for 99.3; the quote may be 1 % worse for us than today's price. */
const OUTPUT = 'output: 99300000 to recipient'
const STRICT = { quoteDeviationBps: 100n }
const at = (perMille: bigint): Pricing => ({ ...PRICING, sourcePrice: (ONE * perMille) / 1000n })

function deliver(units: bigint): string {
  return `output: ${units} to recipient`
}

describe('a deposit in the term', () => {
  test('is paid as quoted while that is at most the deviation worse for us than today, to the unit', () => {
    const today = (receiveUnits: bigint) => ({ ...quoted(usdc(100)), receiveUnits })
    const near = (units: bigint) => isNear({ ...quoted(usdc(100)), receiveUnits: 10_100n }, today(units), 100n)
    expect([near(9_999n), near(10_000n), near(20_000n)]).toEqual([false, true, true])
    expect(isNear(quoted(usdc(100)), null, 100n)).toBe(false)
    const story = new Story({}, { ...STRICT, pricing: at(991n) })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
  })

  test('is paid as quoted even if today’s price would give more', () => {
    const story = new Story({}, { ...STRICT, pricing: at(1100n) })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
  })

  test('beyond the deviation is paid at today’s price if that is within the slippage', () => {
    const wide = { slippage: (ONE * 5n) / 100n }
    const fields = { ...wide, quote: quoteFor(PRICING, usdc(100), wide.slippage) }
    const story = new Story(fields, { ...STRICT, pricing: at(970n) })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([deliver(quoted(usdc(100), at(970n)).receiveUnits)])
    expect(story.swap.originalQuote).toEqual(fields.quote)
  })

  test('the deviation applies whatever slippage the user chose', () => {
    for (const slippage of [0n, ONE / 2n]) {
      const story = new Story(
        { slippage, quote: quoteFor(PRICING, usdc(100), slippage) },
        { ...STRICT, pricing: at(900n) },
      )
      story.deposit('a', usdc(100))
      expect(story.standing).not.toContain(OUTPUT)
    }
  })

  test('a higher network fee counts as a worse price', () => {
    const pricing = { ...PRICING, blockchainFeeUsd: dollars(3) }
    const story = new Story({}, { ...STRICT, pricing })
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([])
  })

  test('is paid as quoted however late it is decided, because it arrived in time', () => {
    for (const [units, minute] of [[usdc(95), 60] as const, [usdc(50), 360] as const]) {
      const story = new Story({}, { ...STRICT, pricing: at(995n) })
      story.deposit('a', units)
      story.see('b', usdc(5))
      story.at(minute).apply({ type: 'deposit_gone', depositId: 'b' })
      story.tick()
      expect(story.standing).toEqual([deliver(resized(quoted(usdc(100)), units, at(995n))?.receiveUnits ?? 0n)])
    }
  })

  test('arrives at its block’s time even if seen later; a block from the future changes nothing', () => {
    const better = at(1100n)
    const paid = (cameAt: Date) => {
      const story = new Story({}, { ...STRICT, pricing: better })
      const deposit = depositOf('a', usdc(100), { seenAt: minutes(30), cameAt })
      story.at(30).apply({ type: 'deposit_seen', deposit })
      story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
      return story.standing
    }
    expect(paid(minutes(10))).toEqual([OUTPUT])
    expect(paid(minutes(11))).toEqual([deliver(quoted(usdc(100), better).receiveUnits)])
  })
})

describe('if today’s price gives less than agreed', () => {
  const fallen = (minute = 1) => {
    const story = new Story({}, { ...STRICT, pricing: at(900n) }).at(minute)
    story.deposit('a', usdc(100))
    expect(story.swap).toMatchObject({
      status: 'user_transfer_pending',
      repriceSince: minutes(minute),
      failReason: null,
    })
    expect(story.standing).toEqual([])
    return story
  }

  test('it is retried for half an hour, then the deposit is refunded', () => {
    const story = fallen()
    expect(story.step.dueAt).toEqual(minutes(1))
    story.context = { ...story.context, now: new Date(minutes(31).getTime() - 1) }
    story.tick()
    expect(story.standing).toEqual([])
    story.at(31).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote', repriceSince: null })
    expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
  })

  test('the quote applies again once it is near, and today’s price to deposits after the term', () => {
    for (const [minute, units] of [[1, 99_300_000n] as const, [11, 98_800_316n] as const]) {
      const story = fallen(minute)
      story.context = { ...story.context, pricing: at(995n) }
      story.at(minute + 29).tick()
      expect(story.swap).toMatchObject({ status: 'ls_transfer_pending', repriceSince: null })
      expect(story.standing).toEqual([deliver(units)])
    }
  })

  test('a third party’s part does not extend the wait', () => {
    const story = fallen()
    story.at(30).deposit('b', usdc(1), { from: 'stranger' })
    story.at(31).tick()
    expect(story.swap.status).toBe('refund_pending')
  })

  test('a late deposit re-opens an expired swap for that period, without an alert', () => {
    const story = new Story({}, { ...STRICT, pricing: at(900n) }).at(360)
    story.tick()
    story.at(400).deposit('a', usdc(100))
    expect(story.swap).toMatchObject({ status: 'user_transfer_pending', closedAt: null })
    expect(story.alerts).toEqual([])
    story.at(430).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
  })

  test('the wait ends with a deposit that is gone, and the next one gets its own period', () => {
    const story = fallen()
    story.at(20).apply({ type: 'deposit_gone', depositId: 'a' })
    story.tick()
    expect(story.swap.repriceSince).toBe(null)
    story.at(40).deposit('c', usdc(100))
    story.at(69).tick()
    expect(story.swap.status).toBe('user_transfer_pending')
  })

  test('dust does not pass the wait on to the next deposit', () => {
    const story = fallen()
    story.at(19).deposit('dust', usdc(0.01), { from: 'stranger' })
    story.at(20).apply({ type: 'deposit_gone', depositId: 'a' })
    story.tick()
    expect(story.swap.repriceSince).toBe(null)
    story.at(40).deposit('c', usdc(100))
    story.at(69).tick()
    expect(story.swap.status).toBe('user_transfer_pending')
  })

  test('a deposit that is re-mined before the next tick gets its full period', () => {
    const story = fallen()
    story.at(20).apply({ type: 'deposit_gone', depositId: 'a' })
    story.deposit('a', usdc(100))
    expect(story.swap.repriceSince).toEqual(minutes(20))
    story.at(49).tick()
    expect(story.swap.status).toBe('user_transfer_pending')
  })
})

describe('a part in the term and a part after it', () => {
  const parts = (first: bigint, second: bigint, pricing: Pricing, slippage = ONE / 200n) => {
    const story = new Story({ slippage, quote: quoteFor(PRICING, usdc(100), slippage) }, { ...STRICT, pricing })
    story.deposit('a', first)
    story.at(11).deposit('b', second)
    return story
  }

  test('are swapped together at today’s price if that is within the slippage', () => {
    const story = parts(usdc(50), usdc(50), at(996n))
    expect(story.standing).toEqual([deliver(quoted(usdc(100), at(996n)).receiveUnits)])
  })

  test('otherwise wait; at last the part in time is paid as quoted and the rest is returned', () => {
    const story = parts(usdc(50), usdc(50), at(993n))
    expect(story.swap.repriceSince).toEqual(minutes(11))
    story.at(41).tick()
    expect(story.standing).toEqual([
      deliver(resized(quoted(usdc(100)), usdc(50), at(993n))?.receiveUnits ?? 0n),
      'return of b: 49700000 to sender',
    ])
  })

  test('90 % in time count as the amount: paid at once, and the part after the term is returned', () => {
    const story = parts(usdc(95), usdc(5), at(993n))
    expect(story.standing).toEqual([
      deliver(resized(quoted(usdc(100)), usdc(95), at(993n))?.receiveUnits ?? 0n),
      'return of b: 4700000 to sender',
    ])
  })

  test('a part in time below the minimum is not paid alone', () => {
    const story = parts(usdc(1), usdc(99), at(993n))
    story.at(41).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
  })
})
