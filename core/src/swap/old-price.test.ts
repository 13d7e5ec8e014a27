/**
 * Whatever strangers do with swaps that they made ahead, old prices cost us a bounded amount per asset, price move and window.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DESTINATION, dollars, GAS, networkOf, PRICING, SOURCE, Story, swapOf, tokenOf, usdc } from '../fixtures.ts'
import { AMOUNT, BOTH, HUB_FEE, PURCHASE, quoteOf, SALE, SOLD, WALLET } from '../leg-fixtures.ts'
import { fromUsd, ONE, toUsd } from '../money/money.ts'
import type { Token } from '../money/network.ts'
import { advance } from './advance.ts'
import { type Pricing, quoteFor } from './quote.ts'
import { exposureWindowMs, fitsExposure, type OldPrice, oldPriceOf, oldPricesCountFrom } from './quote-term.ts'
import type { Swap, SwapEvent } from './swap.ts'

const RUNS = Number(process.env.CORE_RUNS ?? 1000)
const MINUTE_MS = 60_000
const WINDOW_MS = 45 * MINUTE_MS
const LIMIT = dollars(1_500)
const DEVIATION_BPS = 30n
const FEE_BPS = 10n

const ETHER = tokenOf({ symbol: 'ETH', contract: null, decimals: 18, precision: 8, group: 'ETH' })
const DAI = tokenOf({ symbol: 'DAI', contract: '0xdai', decimals: 18, group: 'DAI' })
const TOKENS = [SOURCE, DESTINATION, ETHER, GAS, DAI]

test('the window covers the longest term of a quote and the wait for its price', () => {
  const rules = { dollars: [], termMs: null }
  expect(exposureWindowMs([networkOf({})], rules)).toBe(WINDOW_MS)
  expect(exposureWindowMs([networkOf({ blockMs: 10 * MINUTE_MS })], rules)).toBe(50 * MINUTE_MS)
  expect(exposureWindowMs([networkOf({})], { ...rules, termMs: 60 * MINUTE_MS })).toBe(90 * MINUTE_MS)
})

test('an old price counts from the service fee on, with the assets whose price is our risk', () => {
  const at = (bps: bigint) => ({ ...PRICING, sourcePrice: (ONE * bps) / 10_000n })
  const cost = (pricing: Pricing) =>
    oldPriceOf(quoteOf(PRICING, usdc(100)), quoteFor(pricing, usdc(100), ONE / 100n), pricing)
  expect(cost(PRICING)).toBe(null)
  expect(cost(at(10_100n))).toBe(null)
  expect(cost(at(9_991n))).toBe(null)
  expect(cost(at(9_985n))).toEqual({ takenAsset: 'USDC', paidAsset: 'USDC', usd: dollars(99.85) })
  // A network fee that rose is a cost, too.
  expect(cost({ ...PRICING, blockchainFeeUsd: dollars(1) })).not.toBe(null)
})

test('with a sale or a purchase the hub token is the asset at risk', () => {
  for (const pricing of [SALE, PURCHASE, BOTH]) {
    const quote = quoteOf(pricing, fromUsd(dollars(100), pricing.source, pricing.sourcePrice, 'down'))
    expect(oldPriceOf(quote, null, pricing)).toMatchObject({ takenAsset: 'USDC', paidAsset: 'USDC' })
  }
})

test('a sale at an old price counts when it is ordered; above the limit the current price applies', () => {
  const fields = { source: SOLD, requestedUnits: AMOUNT, quote: quoteOf(SALE, AMOUNT) }
  const pricing = { ...SALE, destinationPrice: (ONE * 10_025n) / 10_000n }
  const settled = (quoteDeviationBps: bigint) => {
    const story = new Story(fields, { pricing, quoteDeviationBps, proceedsFeeUnits: HUB_FEE, sellingWallet: WALLET })
    story.deposit('a', AMOUNT)
    expect(story.swap.payouts).toMatchObject([{ kind: 'sale' }])
    return { oldPrice: story.step.oldPrice, receives: story.swap.quote?.receiveUnits }
  }
  expect(settled(30n)).toEqual({
    oldPrice: { takenAsset: 'USDC', paidAsset: 'USDC', usd: dollars(80) },
    receives: fields.quote.receiveUnits,
  })
  expect(settled(FEE_BPS)).toEqual({ oldPrice: null, receives: quoteOf(pricing, AMOUNT).receiveUnits })
})

test('the limit is used exactly, on both assets', () => {
  const one: OldPrice = { takenAsset: 'USDC', paidAsset: 'ETH', usd: 100n }
  const fits = (takenUsd: bigint, paidUsd: bigint) => fitsExposure(one, { takenUsd, paidUsd }, 1_000n)
  expect([fits(900n, 0n), fits(901n, 0n), fits(0n, 900n), fits(0n, 901n), fits(900n, 900n)]).toEqual([
    ...[true, false, true, false],
    true,
  ])
})

test('an excess deposit does not get a network fee of old, above the limit', () => {
  const story = new Story({}, { pricing: { ...PRICING, blockchainFeeUsd: dollars(1) }, quoteDeviationBps: 100n })
  story.deposit('a', usdc(101))
  expect(story.step.oldPrice).toMatchObject({ usd: dollars(101) })
})

test('settlements count for every swap that was quoted before them, or in the window after them', () => {
  const [quotedAt, windowMs] = [new Date('2026-01-01T12:00:00Z'), WINDOW_MS]
  expect(oldPricesCountFrom(quotedAt, windowMs)).toEqual(new Date('2026-01-01T11:15:00Z'))
})

type Command =
  | { do: 'make'; count: number; from: number; to: number; usd: number; slippageBps: number }
  /** Deposits for this many swaps: the oldest that have none, or any. */
  | { do: 'pay'; count: number; swap: number | null; percent: number; waits: boolean }
  /** Confirms deposits that wait for it: the oldest or the newest ones. */
  | { do: 'confirm'; count: number; newest: boolean }
  | { do: 'move'; token: number; bps: number }
  | { do: 'wait'; minutes: number }

const token = fc.nat({ max: TOKENS.length - 1 })
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('make' as const),
      count: fc.integer({ min: 1, max: 5 }),
      from: token,
      to: fc.oneof(fc.constantFrom(2, 3), token),
      usd: fc.constantFrom(20, 400, 900, 1_000),
      slippageBps: fc.constantFrom(0, 100, 5_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      count: fc.integer({ min: 1, max: 6 }),
      swap: fc.option(fc.nat({ max: 30 }), { freq: 4 }),
      percent: fc.constantFrom(100, 100, 100, 50, 95, 103),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('confirm' as const),
      count: fc.integer({ min: 1, max: 6 }),
      newest: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      token,
      bps: fc.constantFrom(-40, -25, -12, 5, 12, 25, 40),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 4, 16, 46, 300) }),
  },
)

test('in any order of swaps, deposits, confirmations and moves, the loss of an asset is bounded', () => {
  let counted = 0
  fc.assert(
    fc.property(fc.array(command, { minLength: 10, maxLength: 80, size: 'max' }), (commands) => {
      const world = new World()
      for (const each of commands) world.run(each)
      counted += world.paid.length
    }),
    { numRuns: RUNS },
  )
  // Otherwise the property holds because nothing happened.
  expect(counted).toBeGreaterThan(RUNS / 10)
})

test('a series of price moves uses the limit once per window', () => {
  const world = new World()
  const paid = []
  for (let round = 0; round < 14; round++) {
    world.run({ do: 'make', count: 1, from: 0, to: 2, usd: 1_000, slippageBps: 5_000 })
    world.run({ do: 'move', token: 2, bps: 25 })
    world.run({ do: 'pay', count: 1, swap: null, percent: 100, waits: false })
    world.run({ do: 'wait', minutes: 4 })
    paid.push(world.paid.length)
  }
  expect(paid).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2])
})

interface Loss {
  taken: string
  paid: string
  quotedAt: number
  at: number
  /** The value of the deposits, and how much more the output is worth, both at the prices of the settlement. */
  usd: bigint
  loss: bigint
}

/** Settles as the service does: one swap at a time, with the old prices that were paid before. */
class World {
  now = Date.parse('2026-01-01T00:00:00Z')
  readonly prices = new Map([...new Set(TOKENS.map(nameOf))].map((name) => [name, name === 'ETH' ? 2_000n * ONE : ONE]))
  readonly swaps: Swap[] = []
  readonly quotedAt: number[] = []
  /** Deposits that were seen and are not confirmed. */
  readonly unconfirmed: { number: number; event: SwapEvent }[] = []
  /** The settlements that the limit counts. */
  readonly paid: (OldPrice & { at: number })[] = []
  /** The losses by the outputs, whatever was counted. */
  readonly losses: Loss[] = []

  run(command: Command): void {
    if (command.do === 'make') for (let n = 0; n < command.count; n++) this.make(command)
    else if (command.do === 'move') this.move(command)
    else if (command.do === 'pay') for (let n = 0; n < command.count; n++) this.pay(command)
    else if (command.do === 'confirm') for (let n = 0; n < command.count; n++) this.confirm(command)
    else {
      this.now += command.minutes * MINUTE_MS
      for (const number of this.swaps.keys()) this.apply(number, { type: 'tick' })
    }
  }

  make({ from, to, usd, slippageBps }: Extract<Command, { do: 'make' }>): void {
    const [source = SOURCE, destination = DESTINATION] = [TOKENS[from], TOKENS[to]]
    if (source === destination) return
    const pricing = this.pricingOf(source, destination)
    const requestedUnits = fromUsd(dollars(usd), source, pricing.sourcePrice, 'down')
    const slippage = (ONE * BigInt(slippageBps)) / 10_000n
    const quote = quoteFor(pricing, requestedUnits, slippage)
    const [quoteExpiresAt, expiresAt] = [new Date(this.now + 5 * MINUTE_MS), new Date(this.now + 360 * MINUTE_MS)]
    const id = String(this.swaps.length)
    this.quotedAt.push(this.now)
    this.swaps.push(swapOf({ id, source, destination, requestedUnits, slippage, quote, quoteExpiresAt, expiresAt }))
  }

  move({ token, bps }: Extract<Command, { do: 'move' }>): void {
    const name = nameOf(TOKENS[token] ?? SOURCE)
    this.prices.set(name, (this.priceOf(TOKENS[token] ?? SOURCE) * BigInt(10_000 + bps)) / 10_000n)
  }

  pay({ swap: wanted, percent, waits }: Extract<Command, { do: 'pay' }>): void {
    const number = wanted ?? this.swaps.findIndex(({ deposits }) => deposits.length === 0)
    const swap = this.swaps[number]
    if (!swap?.requestedUnits) return
    const id = `${number}/${swap.deposits.length}`
    const units = (swap.requestedUnits * BigInt(percent)) / 100n
    const [at, none] = [new Date(this.now), { outputUnits: 0n, refundUnits: 0n, refundAddress: null }]
    const times = { seenAt: at, cameAt: at, confirmedAt: null }
    const deposit = { id, units, from: 'sender', to: 'treasury', state: 'seen' as const, ...times, ...none }
    this.apply(number, { type: 'deposit_seen', deposit })
    this.unconfirmed.push({ number, event: { type: 'deposit_confirmed', depositId: id, units } })
    if (!waits) this.confirm({ newest: true })
  }

  confirm({ newest }: { newest: boolean }): void {
    const next = newest ? this.unconfirmed.pop() : this.unconfirmed.shift()
    if (next) this.apply(next.number, next.event)
  }

  apply(number: number, event: SwapEvent): void {
    const before = this.swaps[number]
    if (!before) return
    const pricing = this.pricingOf(before.source, before.destination)
    const context = {
      ...{ now: new Date(this.now), pricing, refundFeeUnits: 0n, dustUnits: 0n, topUpMs: 0 },
      quoteDeviationBps: DEVIATION_BPS,
    }
    let step = advance(before, event, context)
    if (step.oldPrice && !fitsExposure(step.oldPrice, this.paidBefore(step.oldPrice, number), LIMIT))
      step = advance(before, event, { ...context, quoteDeviationBps: FEE_BPS })
    if (step.oldPrice) this.paid.push({ ...step.oldPrice, at: this.now })
    this.swaps[number] = step.swap
    if (step.swap.payouts.length > before.payouts.length) this.judge(number, step.swap, before)
  }

  paidBefore({ takenAsset, paidAsset }: OldPrice, number: number) {
    const from = oldPricesCountFrom(new Date(this.quotedAt[number] ?? 0), WINDOW_MS).getTime()
    const counted = this.paid.filter(({ at }) => at >= from)
    const sum = (rows: OldPrice[]) => rows.reduce((total, { usd }) => total + usd, 0n)
    return {
      takenUsd: sum(counted.filter((row) => row.takenAsset === takenAsset)),
      paidUsd: sum(counted.filter((row) => row.paidAsset === paidAsset)),
    }
  }

  /**
   * Compares what went out with what was taken, without a look at what counted. Whenever a price moved, the swaps that were
   * quoted before and settled afterwards stay within the limit, and so do all that were settled within one window.
   */
  judge(number: number, swap: Swap, before: Swap): void {
    const output = swap.payouts.slice(before.payouts.length).find(({ kind }) => kind === 'output')
    if (!output) return
    const taken = swap.deposits.reduce((sum, { outputUnits }) => sum + outputUnits, 0n)
    const usd = toUsd(taken, swap.source, this.priceOf(swap.source), 'up')
    const loss = toUsd(output.units, swap.destination, this.priceOf(swap.destination), 'down') - usd
    if (loss <= 0n) return
    const quotedAt = this.quotedAt[number] ?? 0
    this.losses.push({ taken: nameOf(swap.source), paid: nameOf(swap.destination), quotedAt, at: this.now, usd, loss })
    for (const name of this.prices.keys()) {
      for (const side of ['taken', 'paid'] as const) {
        const ofAsset = this.losses.filter((row) => row[side] === name)
        bounded(
          `${name} ${side} within a window`,
          ofAsset.filter((row) => row.at > this.now - WINDOW_MS),
        )
        // Sums only change at the time of a quote or of a settlement, and are largest at the time of a quote.
        for (const { quotedAt: moment } of ofAsset)
          bounded(
            `${name} ${side} around ${new Date(moment).toISOString()}`,
            ofAsset.filter((row) => row.quotedAt <= moment && row.at >= moment),
          )
      }
    }
  }

  pricingOf(source: Token, destination: Token): Pricing {
    // Without a network fee all that the maker pays is the service fee.
    const fees = { serviceFeeBps: FEE_BPS, serviceFeeUsd: 0n, blockchainFeeUsd: 0n }
    const liquidityUnits = 10n ** 30n
    const prices = { sourcePrice: this.priceOf(source), destinationPrice: this.priceOf(destination) }
    return { ...PRICING, source, destination, ...prices, ...fees, liquidityUnits }
  }

  priceOf(token: Token): bigint {
    return this.prices.get(nameOf(token)) ?? ONE
  }
}

function nameOf({ group, symbol }: Token): string {
  return group ?? symbol
}

function bounded(what: string, losses: readonly Loss[]): void {
  const sum = (key: 'usd' | 'loss') => losses.reduce((total, row) => total + row[key], 0n)
  if (sum('usd') > LIMIT) throw new Error(`${sum('usd')} of ${what} at a loss`)
  const most = (LIMIT * (DEVIATION_BPS - FEE_BPS)) / 10_000n
  if (sum('loss') > most) throw new Error(`a loss of ${sum('loss')} of ${what}`)
}
