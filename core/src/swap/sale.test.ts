/** Swaps over an exchange: a sale of the deposit before the output, a purchase as the output, and both. */
import { describe, expect, test } from 'vitest'
import { DESTINATION, Story, usdc } from '../fixtures.ts'
import { AMOUNT, BOTH, BOUGHT, E18, FEE, HUB, HUB_FEE, PURCHASE, quoteOf, SALE, SOLD, WALLET } from '../leg-fixtures.ts'
import type { Payout } from './payout.ts'
import { type Pricing, paidUnits } from './quote.ts'
import type { Context, Swap } from './swap.ts'

class LegStory extends Story {
  constructor(pricing: Pricing, fields: Partial<Swap> = {}, context: Partial<Context> = {}) {
    const units = pricing.sale ? AMOUNT : usdc(100)
    super(
      {
        ...{ source: pricing.source, destination: pricing.destination, requestedUnits: units },
        ...{ quote: quoteOf(pricing, units), refundAddress: 'home', ...fields },
      },
      {
        ...{ pricing, refundFeeUnits: pricing.sale ? FEE : HUB_FEE, dustUnits: 0n },
        ...{ proceedsFeeUnits: HUB_FEE, sellingWallet: WALLET, ...context },
      },
    )
  }

  /** The sale is confirmed with this part of the expected output, in basis points. */
  sell(bps = 10_000n): bigint {
    const expected = this.swap.quote?.legs?.sale?.outUnits ?? 0n
    const receivedUnits = (expected * bps + 9999n) / 10_000n
    this.start('sale')
    this.apply({ type: 'payout_confirmed', kind: 'sale', depositId: null, from: WALLET, receivedUnits })
    return receivedUnits
  }

  abandon(kind: Payout['kind'], depositId: string | null = null): void {
    this.apply({ type: 'payout_abandoned', kind, depositId })
  }

  unsell(): void {
    this.apply({ type: 'payout_undone', kind: 'sale', depositId: null, from: WALLET })
  }
}

describe('a purchase', () => {
  test('is the output, in the token that our wallet pays, with the least that the recipient gets', () => {
    const story = new LegStory(PURCHASE)
    story.deposit('a', usdc(100))
    const { quote } = story.swap
    expect(story.swap.payouts).toMatchObject([
      {
        ...{ kind: 'output', token: DESTINATION, units: usdc(99.3), to: 'recipient' },
        leg: { provider: 'uniswap', buys: BOUGHT, minUnits: quote?.minReceiveUnits, route: 'purchase' },
      },
    ])
    story.start('output')
    const paid = { type: 'payout_confirmed', kind: 'output', depositId: null, from: WALLET } as const
    story.apply({ ...paid, receivedUnits: 12n * E18 })
    expect(story.swap.status).toBe('completed')
    expect(story.swap.payouts[0]?.receivedUnits).toBe(12n * E18)
    expect(story.balance('wallet', DESTINATION)).toBe(-usdc(99.3))
    expect(story.balance('wallet', BOUGHT)).toBe(0n)
  })

  test('that cannot be made is refunded in the deposited token', () => {
    const story = new LegStory(PURCHASE)
    story.deposit('a', usdc(100))
    story.abandon('output')
    expect(story.standing).toEqual(['refund of a: 99700000 to home'])
    expect(story.balance('promised', DESTINATION)).toBe(0n)
    expect(story.balance('exchange', DESTINATION)).toBe(0n)
  })
})

describe('a sale', () => {
  test('comes before the output, which follows what it brought', () => {
    for (const [pricing, bps] of [
      [SALE, 10_000n],
      [SALE, 9_950n],
      [BOTH, 9_960n],
      [BOTH, 10_100n],
    ] as const) {
      const story = new LegStory(pricing)
      story.deposit('a', AMOUNT)
      expect(story.standing).toEqual([`sale: ${AMOUNT} to ${WALLET}`])
      expect(story.swap.status).toBe('ls_transfer_pending')
      const agreed = story.swap.quote ?? fail()
      const received = story.sell(bps)
      const output = story.swap.payouts[1] ?? fail()
      expect(output.units).toBe((paidUnits(agreed) * received) / (agreed.legs?.sale?.outUnits ?? 1n))
      expect(output).toMatchObject({ kind: 'output', token: DESTINATION, to: 'recipient' })
      expect(output.leg?.minUnits).toBe(pricing.purchase ? agreed.minReceiveUnits : undefined)
      if (!pricing.purchase) expect(output.units).toBeGreaterThanOrEqual(agreed.minReceiveUnits)
      expect(story.balance('customer', HUB)).toBe(0n)
      expect(story.balance('wallet', SOLD)).toBe(0n)
      expect(story.balance('wallet', HUB)).toBe(received)
      story.land('output')
      expect(story.swap.status).toBe('completed')
    }
  })

  test('sells once, however often the deposit and the sale are reported', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.deposit('a', AMOUNT)
    const received = story.sell()
    story.sell()
    expect(story.swap.payouts).toHaveLength(2)
    expect(story.balance('wallet', HUB)).toBe(received)
  })

  test('that was not made is refunded in the deposited token', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.start('sale')
    story.abandon('sale')
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'payout_rejected' })
    expect(story.standing).toEqual([`refund of a: ${AMOUNT - FEE} to home`])
    expect(story.balance('promised', SOLD)).toBe(FEE - AMOUNT)
  })

  test('is refunded in the hub token if the output cannot be made', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    const received = story.sell()
    story.abandon('output')
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'payout_rejected' })
    expect(story.standing.at(-1)).toBe(`refund of a: ${received - HUB_FEE} to home`)
    expect(story.swap.payouts.at(-1)?.token).toBe(HUB)
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refunded')
    expect(story.balance('wallet', HUB)).toBe(HUB_FEE)
    expect(story.balance('customer', HUB)).toBe(0n)
    expect(story.balance('exchange', HUB)).toBe(0n)
  })

  test('that brought less than its least is refunded in the hub token', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    const received = story.sell(9_000n)
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
    expect(story.standing.at(-1)).toBe(`refund of a: ${received - HUB_FEE} to home`)
  })

  test('that brought far more pays a limited gain at the agreed price, and returns the rest', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    const agreed = story.swap.quote ?? fail()
    const received = story.sell(30_000n)
    expect(story.swap.payouts[1]?.units).toBeLessThanOrEqual((agreed.receiveUnits * 105n) / 100n)
    story.tick()
    const used = story.swap.quote?.legs?.sale?.outUnits ?? 0n
    expect(story.standing.at(-1)).toBe(`return of a: ${received - used - HUB_FEE} to home`)
    expect(story.balance('customer', HUB)).toBe(0n)
  })

  test('the refund waits until its fee is known', () => {
    const story = new LegStory(SALE, {}, { proceedsFeeUnits: null })
    story.deposit('a', AMOUNT)
    const received = story.sell()
    story.abandon('output')
    expect(story.swap.status).toBe('pending_refund')
    expect(story.alerts).toContain('a deposit is held and owed')
    expect(story.step.dueAt).toEqual(story.context.now)
    story.context = { ...story.context, proceedsFeeUnits: HUB_FEE }
    story.tick()
    expect(story.standing.at(-1)).toBe(`refund of a: ${received - HUB_FEE} to home`)
  })

  test('a second deposit and an excess are returned in the deposited token, before and after the sale', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.deposit('b', E18)
    story.sell()
    story.deposit('c', 2n * E18)
    const returns = [`return of b: ${E18 - FEE} to home`, `return of c: ${2n * E18 - FEE} to home`]
    expect(story.standing.filter((text) => text.startsWith('return'))).toEqual(returns)
  })
})

test('a sale that only the journal knows is for an operator: the deposit is not sold again with it', () => {
  const story = new LegStory(SALE, { requestedUnits: null, quote: null })
  story.see('a', AMOUNT)
  const lost = { id: 'one', kind: 'sale', token: SOLD, units: AMOUNT, to: WALLET, state: 'confirmed' } as const
  const recorded = [{ ...lost, depositIds: ['a'], isAttached: false }]
  story.apply({ type: 'deposit_confirmed', depositId: 'a', units: AMOUNT, recorded })
  expect(story.standing).toEqual([])
  expect(story.alerts).toEqual(['a payout of the journal does not fit its swap: it waits for a decision'])
})

describe('a reorg around a sale', () => {
  test('that removes the deposit before the sale started voids it', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.swap.status).toBe('user_transfer_pending')
    expect(story.standing).toEqual([])
    for (const account of ['wallet', 'customer', 'promised', 'loss']) expect(story.balance(account, SOLD)).toBe(0n)
  })

  test('that removes the deposit after the sale started: nothing is delivered for it', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.start('sale')
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.balance('loss', SOLD)).toBe(AMOUNT)
    const received = story.sell()
    expect(story.swap).toMatchObject({ status: 'failed', failReason: 'deposit_lost' })
    expect(story.standing).toHaveLength(1)
    // Mined again: its proceeds are sent to its owner.
    story.apply({ type: 'deposit_confirmed', depositId: 'a', units: AMOUNT })
    expect(story.standing.at(-1)).toBe(`return of a: ${received - HUB_FEE} to home`)
    expect(story.balance('loss', SOLD)).toBe(0n)
  })

  test('that removes one of two sold deposits: the other one gets its share', () => {
    const story = new LegStory(SALE)
    story.deposit('a', 6n * E18)
    story.deposit('b', 4n * E18)
    const received = story.sell()
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.swap).toMatchObject({ status: 'pending_refund', failReason: 'deposit_lost' })
    story.tick()
    expect(story.standing.at(-1)).toBe(`refund of b: ${(received * 4n) / 10n - HUB_FEE} to home`)
  })

  test('that removes a sold deposit, which is mined again while the other one is owed: all is refunded', () => {
    const story = new LegStory(SALE)
    story.deposit('a', 1n * E18)
    story.see('b', 9n * E18)
    story.apply({ type: 'deposit_confirmed', depositId: 'b', units: 9n * E18 })
    story.start('sale')
    story.apply({ type: 'deposit_gone', depositId: 'b' })
    const received = story.sell()
    story.abandon('refund', 'a')
    expect(story.swap.status).toBe('pending_refund')
    story.apply({ type: 'deposit_confirmed', depositId: 'b', units: 9n * E18 })
    expect(story.standing.at(-1)).toBe(`refund of b: ${received - HUB_FEE} to home`)
    expect(story.swap.status).toBe('refund_pending')
    story.land('refund', 'b')
    expect(story.swap.status).toBe('refunded')
    expect(story.balance('customer', HUB)).toBe(0n)
  })

  test('that removes the sale before the output started: the output waits for the sale', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.sell()
    story.unsell()
    expect(story.swap.status).toBe('ls_transfer_pending')
    expect(story.standing).toEqual([`sale: ${AMOUNT} to ${WALLET}`])
    for (const account of ['wallet', 'customer', 'promised', 'exchange']) expect(story.balance(account, HUB)).toBe(0n)
    const received = story.sell(9_990n)
    expect(story.standing).toHaveLength(2)
    expect(story.balance('wallet', HUB)).toBe(received)
  })

  test('that undoes a gain again and again does not add one gain to another', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    const output = () => story.swap.payouts.findLast(({ kind }) => kind === 'output')?.units ?? 0n
    story.sell(10_500n)
    const most = output()
    for (let times = 0; times < 3; times++) {
      story.unsell()
      story.sell(10_500n)
    }
    expect(output()).toBeLessThanOrEqual(most)
    expect(most - output()).toBeLessThan(10n)
  })

  test('that removes the sale for good, before the output started: the deposit is refunded', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.sell()
    story.unsell()
    story.abandon('sale')
    expect(story.standing).toEqual([`refund of a: ${AMOUNT - FEE} to home`])
  })

  test('that removes the sale for good, after the output was paid: we cover it, and nothing is paid twice', () => {
    const story = new LegStory(SALE)
    story.deposit('a', AMOUNT)
    story.sell()
    story.land('output')
    story.unsell()
    story.abandon('sale')
    story.tick()
    expect(story.swap.status).toBe('completed')
    expect(story.standing).toHaveLength(1)
    expect(story.alerts).toContain('a sale was not made after its proceeds were spent: we cover it')
    expect(story.balance('customer', SOLD)).toBe(0n)
    expect(story.balance('customer', HUB)).toBe(0n)
    expect(story.balance('wallet', SOLD)).toBe(AMOUNT)
  })
})

function fail(): never {
  throw new Error('missing in the example')
}
