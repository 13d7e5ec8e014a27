/**
 * Swaps from the output of an exchange that the depositor makes. If the pool gave less or more than expected, the recipient
 * gets less or more in proportion. Amounts that the exchange cannot have brought follow the rules of any deposit.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { poolCurve } from '../exchange/curve.ts'
import { DESTINATION, depositOf, dollars, minutes, PRICING, SOURCE, Story, swapOf, tokenOf, usdc } from '../fixtures.ts'
import { ONE } from '../money/money.ts'
import { type LegPricing, type LegQuote, withUserExchange } from './legs.ts'
import { limitsFor, type Pricing, type Quote, quoteFor } from './quote.ts'
import type { Swap } from './swap.ts'
import { termsFor } from './terms.ts'

const SOLD = tokenOf({ symbol: 'UNI', contract: '0xsold', decimals: 18, precision: 8, group: 'UNI' })
const BOUGHT = tokenOf({ ...SOLD, network: 'BETA', contract: '0xbought' })
const E18 = 10n ** 18n
/** Shown with fewer digits than it has, so that outputs are rounded. */
const COARSE = { ...DESTINATION, decimals: 8, precision: 4 }

function purchaseOf(): LegPricing {
  const [token0, token1] = ['0xbought', DESTINATION.contract ?? '']
  const pool = { kind: 'uniswap_v2' as const, address: '0xpool', token0, token1, feePpm: 3000 }
  const state = { kind: 'uniswap_v2' as const, reserve0: 100_000n * E18, reserve1: usdc(800_000) }
  const curve = poolCurve(pool, state, token1)
  if (!curve) throw new Error('no curve')
  const bounds = { maxImpactBps: 300n, maxSlippage: (ONE * 3n) / 100n }
  return { provider: 'uniswap', hub: DESTINATION, hubPrice: ONE, curve, route: 'purchase', ...bounds }
}

const PURCHASE: Pricing = { ...PRICING, destination: BOUGHT, destinationPrice: 8n * ONE, purchase: purchaseOf() }
const routes = fc.constantFrom(PRICING, { ...PRICING, destination: COARSE }, PURCHASE)
const shares = fc.bigInt({ min: 0n, max: 10_000n })

function exchangeFor(units: bigint): LegQuote {
  const sold = { provider: 'uniswap', network: SOURCE.network, sells: SOLD, buys: SOURCE, inUnits: 10n * E18 }
  return { ...sold, outUnits: units, minUnits: units, route: 'sale', impactBps: 0n }
}

/** A swap of what the depositor's exchange is expected to bring, with its bounds. */
function made(pricing: Pricing, units: bigint, slippage = ONE / 100n): Partial<Swap> & { quote: Quote; least: bigint } {
  const plain = quoteFor(pricing, units, slippage)
  if (!plain) throw new Error('no quote inside the limits')
  const { quote, exchange } = withUserExchange(plain, exchangeFor(units), pricing.destination)
  const money = { source: pricing.source, destination: pricing.destination, requestedUnits: units, slippage }
  const places = { usesDepositAddress: true, refundAddress: 'refundee' }
  return { ...money, ...places, quote, userExchange: exchange, least: exchange.minUnits }
}

function amountIn(pricing: Pricing, share: bigint): bigint {
  const { minUnits, maxUnits } = limitsFor(pricing)
  return minUnits + ((maxUnits - minUnits) * share) / 10_000n
}

const DECISION = { deviationBps: 100n, isLast: false }

describe('the output of a depositor’s exchange', () => {
  test('within its bounds is swapped whole at the agreed price, and the recipient gets the promised minimum', () => {
    fc.assert(
      fc.property(routes, shares, shares, fc.bigInt({ min: 0n, max: 300n }), (pricing, share, lost, bps) => {
        const { least, ...fields } = made(pricing, amountIn(pricing, share), (ONE * bps) / 10_000n)
        const expected = fields.quote.requestedUnits
        const units = expected - ((expected - least) * lost) / 10_000n
        const parts = [depositOf('a', units, { state: 'confirmed', confirmedAt: minutes(1) })]
        const terms = termsFor(swapOf(fields), parts, pricing, DECISION)
        if (typeof terms === 'string') throw new Error(terms)
        const { quote } = terms
        expect(quote.requestedUnits).toBe(units)
        expect(quote.minReceiveUnits).toBe(fields.quote.minReceiveUnits)
        expect(quote.receiveUnits).toBeGreaterThanOrEqual(quote.minReceiveUnits)
        expect(quote.receiveUnits).toBeLessThanOrEqual(fields.quote.receiveUnits)
        const { purchase } = quote.legs ?? {}
        if (!purchase) return
        expect(purchase.minUnits).toBe(quote.minReceiveUnits)
        expect(PURCHASE.purchase?.curve.out(purchase.inUnits)).toBeGreaterThanOrEqual(quote.minReceiveUnits)
      }),
    )
  })

  test('at its minimum is swapped when it is credited, without waiting for a rest', () => {
    const { least, ...fields } = made(PRICING, usdc(100))
    const story = new Story(fields)
    story.deposit('a', least)
    // Of 99.3 that are left after the fees, one percent may be lost. The service fee falls with the amount.
    expect(least).toBe(usdc(100) - usdc(0.993))
    expect(fields.quote.minReceiveUnits).toBe(98_307_000n)
    expect(story.standing).toEqual(['output: 98307900 to recipient'])
  })

  test('below its minimum is no exchange of the bounded kind: it waits for the rest like any part', () => {
    const { least, ...fields } = made(PRICING, usdc(100))
    const story = new Story(fields)
    story.deposit('a', least - 1n)
    expect(story.standing).toEqual([])
    expect(story.step.dueAt).toEqual(minutes(3))
  })

  test('above the expected amount is swapped whole at the agreed price, up to five percent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: usdc(10) }), (gain) => {
        const { least, ...fields } = made(PRICING, usdc(100))
        // The current price would give less than the quote.
        const story = new Story(fields, { pricing: { ...PRICING, sourcePrice: (ONE * 995n) / 1000n } })
        story.deposit('a', usdc(100) + gain)
        const [output, ...rest] = story.swap.payouts
        // The fixed part of the service fee is 0.1 dollars of today, rounded up to a shown digit.
        const agreed = usdc(100) + gain - usdc(0.5) - (usdc(100) + gain) / 1000n - usdc(0.1007)
        const isAgreed = story.swap.quote?.requestedUnits === usdc(100) + gain && (output?.units ?? 0n) >= agreed
        expect(isAgreed).toBe(gain <= usdc(5))
        if (gain <= usdc(5)) expect(rest).toEqual([])
      }),
    )
  })

  test('above the expected amount never raises the minimum, which a purchase might then miss', () => {
    fc.assert(
      fc.property(shares, shares, fc.bigInt({ min: 0n, max: 300n }), (share, gained, bps) => {
        const { least, ...fields } = made(PURCHASE, amountIn(PURCHASE, share), (ONE * bps) / 10_000n)
        const { requestedUnits: expected, minReceiveUnits } = fields.quote
        const units = expected + (expected * gained) / 200_000n
        const parts = [depositOf('a', units, { state: 'confirmed', confirmedAt: minutes(1) })]
        const terms = termsFor(swapOf(fields), parts, PURCHASE, DECISION)
        const purchase = typeof terms === 'string' ? undefined : terms.quote.legs?.purchase
        if (!purchase) throw new Error('no purchase')
        expect(purchase.minUnits).toBe(minReceiveUnits)
        expect(PURCHASE.purchase?.curve.out(purchase.inUnits)).toBeGreaterThanOrEqual(purchase.minUnits)
      }),
    )
  })

  test('above the operator’s maximum by its gain alone is still swapped', () => {
    const { least, ...fields } = made(PRICING, usdc(1000))
    const story = new Story(fields)
    story.deposit('a', usdc(1010))
    expect(story.swap.status).toBe('ls_transfer_pending')
    const more = new Story(fields)
    more.deposit('a', usdc(1051))
    expect(more.swap).toMatchObject({ status: 'failed', failReason: 'received_more_than_valid_range' })
  })

  test('is refunded in its own token if the price does not give the promised minimum', () => {
    const { least, ...fields } = made(PRICING, usdc(100))
    const story = new Story(fields, { pricing: { ...PRICING, sourcePrice: (ONE * 95n) / 100n } })
    story.deposit('a', least)
    story.at(40).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
    expect(story.standing).toEqual([`refund of a: ${least - usdc(0.3)} to refundee`])
  })

  test('is not swapped below the minimum because the fees were raised meanwhile', () => {
    const { least, ...fields } = made(PRICING, usdc(100))
    const raised = { ...PRICING, serviceFeeBps: 100n, maxUsd: dollars(2000) }
    const parts = [depositOf('a', least, { state: 'confirmed', confirmedAt: minutes(1) })]
    expect(termsFor(swapOf(fields), parts, raised, DECISION)).toBe('degraded_quote')
  })
})
