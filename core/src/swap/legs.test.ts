/** Quotes over swap providers: a sale, a purchase, both. The numbers are the pool's own. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { poolCurve } from '../exchange/curve.ts'
import type { Pool } from '../exchange/pool.ts'
import { DESTINATION, depositOf, dollars, PRICING, SOURCE, swapOf, tokenOf, usdc } from '../fixtures.ts'
import { ONE } from '../money/money.ts'
import { type LegPricing, totalImpactBps, withRoutesOf } from './legs.ts'
import { deliverableUnits, isNear, limitsFor, maxByDepth, type Pricing, paidUnits, quoteFor, resized } from './quote.ts'
import { termsFor } from './terms.ts'

const SOLD = tokenOf({ symbol: 'UNI', contract: '0xsold', decimals: 18, precision: 8, group: 'UNI' })
const BOUGHT = tokenOf({ ...SOLD, network: 'BETA', contract: '0xbought' })
const E18 = 10n ** 18n
const SLIPPAGE = ONE / 100n

/** Pools of 8 dollars per UNI, with 800,000 dollars on each side by default. */
function leg(isSale: boolean, whole = 100_000n, hubWhole = 800_000n): LegPricing {
  const [token, hub] = isSale ? [SOLD, SOURCE] : [BOUGHT, DESTINATION]
  const pool: Pool = {
    kind: 'uniswap_v2',
    address: '0xpool',
    token0: token.contract ?? '',
    token1: hub.contract ?? '',
    feePpm: 3000,
  }
  const state = { kind: 'uniswap_v2' as const, reserve0: whole * E18, reserve1: hubWhole * 10n ** 6n }
  const curve = poolCurve(pool, state, (isSale ? token : hub).contract ?? '')
  if (!curve) throw new Error('no curve')
  const bounds = { maxImpactBps: 300n, maxSlippage: (ONE * 3n) / 100n }
  return {
    provider: 'uniswap',
    hub,
    hubPrice: ONE,
    curve,
    route: `${isSale ? 'sale' : 'purchase'} ${whole}`,
    ...bounds,
  }
}

const PURCHASE: Pricing = { ...PRICING, destination: BOUGHT, destinationPrice: 8n * ONE, purchase: leg(false) }
const SALE: Pricing = { ...PRICING, source: SOLD, sourcePrice: 8n * ONE, sale: leg(true) }
const BOTH: Pricing = { ...SALE, ...{ destination: BOUGHT, destinationPrice: 8n * ONE, purchase: leg(false) } }
const routes = fc.constantFrom(PURCHASE, SALE, BOTH)
const shares = fc.integer({ min: 1, max: 10_000 })

function amountIn(pricing: Pricing, share: number): bigint {
  const { minUnits, maxUnits } = limitsFor(pricing)
  return minUnits + ((maxUnits - minUnits) * BigInt(share)) / 10_000n
}

describe('a quote with legs', () => {
  test('a purchase spends what is left after the fees, and the pool decides what arrives', () => {
    const quote = quoteFor(PURCHASE, usdc(100), SLIPPAGE)
    expect(quote?.legs?.purchase).toMatchObject({ inUnits: usdc(99.3), provider: 'uniswap', network: 'BETA' })
    expect(quote?.receiveUnits).toBe(leg(false).curve.out(usdc(99.3)))
    expect(quote?.legs?.purchase?.minUnits).toBe(quote?.minReceiveUnits)
    expect(quote?.legs?.sale).toBeUndefined()
  })

  test('a sale sells the whole deposit, and the fees are taken from what it brings', () => {
    const quote = quoteFor(SALE, 10n * E18, SLIPPAGE)
    const out = leg(true).curve.out(10n * E18) ?? 0n
    expect(quote?.legs?.sale).toMatchObject({ inUnits: 10n * E18, outUnits: out })
    const left = 10n * E18 - (quote?.blockchainFeeUnits ?? 0n) - (quote?.serviceFeeUnits ?? 0n)
    expect(quote?.receiveUnits).toBe((out * left) / (10n * E18))
  })

  test('the minimum of every leg keeps the promise to the recipient', () => {
    fc.assert(
      fc.property(routes, shares, fc.integer({ min: 0, max: 5000 }), (pricing, share, slippageBps) => {
        const quote = quoteFor(pricing, amountIn(pricing, share), (ONE * BigInt(slippageBps)) / 10_000n)
        if (!quote) throw new Error('no quote inside the limits')
        const { sale, purchase } = quote.legs ?? {}
        expect(quote.slippage).toBeLessThanOrEqual((ONE * 3n) / 100n)
        if (purchase) expect(purchase.minUnits).toBe(quote.minReceiveUnits)
        if (!sale) return
        expect(sale.minUnits).toBeLessThanOrEqual(sale.outUnits)
        // The worst sale that the exchange lets pass.
        if (!purchase) {
          expect((quote.receiveUnits * sale.minUnits) / sale.outUnits).toBeGreaterThanOrEqual(quote.minReceiveUnits)
        } else {
          const paid = (purchase.inUnits * sale.minUnits) / sale.outUnits
          expect(leg(false).curve.out(paid)).toBeGreaterThanOrEqual(quote.minReceiveUnits)
        }
      }),
    )
  })

  test('every amount within the limits has a quote that the wallet covers, with an impact within the bound', () => {
    fc.assert(
      fc.property(routes, shares, fc.bigInt({ min: 50n, max: 100_000n }), (route, share, liquidity) => {
        const pricing = { ...route, liquidityUnits: usdc(Number(liquidity)), maxUsd: dollars(1_000_000) }
        const quote = quoteFor(pricing, amountIn(pricing, share), SLIPPAGE)
        expect(quote && paidUnits(quote)).toBeLessThanOrEqual(deliverableUnits(pricing))
        expect(quote?.legs?.sale?.impactBps ?? 0n).toBeLessThanOrEqual(300n)
        expect(quote?.legs?.purchase?.impactBps ?? 0n).toBeLessThanOrEqual(300n)
      }),
    )
  })

  test('the depth of the pool bounds the amount', () => {
    const shallow = { ...PURCHASE, maxUsd: dollars(100_000), purchase: leg(false, 100n, 800n) }
    const depth = maxByDepth(shallow) ?? 0n
    expect(limitsFor(shallow).maxUnits).toBeLessThanOrEqual(depth)
    expect(shallow.purchase.curve.impactBps(depth)).toBe(300n)
    expect(maxByDepth(PRICING)).toBeNull()
  })

  test('an empty pool gives no quote', () => {
    const nothing = { ...leg(true).curve, out: () => null, impactBps: () => null, maxIn: () => 0n }
    const pricing = { ...SALE, sale: { ...leg(true), curve: nothing } }
    expect(quoteFor(pricing, 10n * E18, SLIPPAGE)).toBeNull()
    expect(limitsFor(pricing).maxUnits).toBe(0n)
  })

  test('the impact of two legs adds up', () => {
    const { legs } = quoteFor(BOTH, 100n * E18, SLIPPAGE) ?? {}
    expect(legs && totalImpactBps(legs)).toBe((legs?.sale?.impactBps ?? 0n) + (legs?.purchase?.impactBps ?? 0n))
  })
})

describe('the same quote for a smaller amount', () => {
  test('promises no more than the pools give', () => {
    fc.assert(
      fc.property(routes, shares, shares, (pricing, a, b) => {
        const [less, more] = [amountIn(pricing, Math.min(a, b)), amountIn(pricing, Math.max(a, b))]
        const quote = quoteFor(pricing, more, SLIPPAGE)
        const smaller = quote && resized(quote, less, pricing)
        const fresh = quoteFor(pricing, less, SLIPPAGE)
        if (!smaller || !fresh || less === more) return
        expect(smaller.minReceiveUnits).toBeLessThanOrEqual(fresh.receiveUnits)
        if (smaller.legs?.sale) expect(smaller.legs.sale.inUnits).toBe(less)
        if (smaller.legs?.purchase) expect(smaller.legs.purchase.minUnits).toBe(smaller.minReceiveUnits)
      }),
    )
  })
})

describe('terms', () => {
  const decision = { deviationBps: 100n, isLast: false }
  const deposit = depositOf('one', usdc(100), { state: 'confirmed' })

  test('a pool that moved does not change the amount that we pay, and the promise stays', () => {
    const quote = quoteFor(PURCHASE, usdc(100), SLIPPAGE)
    const swap = swapOf({ destination: BOUGHT, quote })
    const moved = { ...PURCHASE, purchase: leg(false, 99_000n, 808_000n) }
    expect(isNear(quote ?? fail(), quoteFor(moved, usdc(100), SLIPPAGE), 0n)).toBe(true)
    const terms = termsFor(swap, [deposit], moved, decision)
    if (typeof terms === 'string') throw new Error(terms)
    expect(terms.quote.legs?.purchase).toMatchObject({
      inUnits: usdc(99.3),
      minUnits: quote?.minReceiveUnits,
      route: 'purchase 99000',
    })
  })

  test('after the term, a new price keeps the promised minimum as the least of the exchange', () => {
    const quote = quoteFor(PURCHASE, usdc(100), SLIPPAGE)
    const swap = swapOf({ destination: BOUGHT, quote, quoteExpiresAt: new Date(0) })
    const moved = { ...PURCHASE, purchase: leg(false, 99_700n, 802_400n) }
    const terms = termsFor(swap, [deposit], moved, decision)
    if (typeof terms === 'string') throw new Error(terms)
    expect(terms.quote.receiveUnits).toBeLessThan(quote?.receiveUnits ?? 0n)
    expect(terms.quote.minReceiveUnits).toBe(quote?.minReceiveUnits)
    expect(terms.quote.legs?.purchase?.minUnits).toBe(quote?.minReceiveUnits)
  })

  test('after the term, a pool that moved beyond the slippage is no price', () => {
    const swap = swapOf({
      destination: BOUGHT,
      quote: quoteFor(PURCHASE, usdc(100), SLIPPAGE),
      quoteExpiresAt: new Date(0),
    })
    const moved = { ...PURCHASE, purchase: leg(false, 98_000n, 816_000n) }
    expect(termsFor(swap, [deposit], moved, decision)).toBe('degraded_quote')
  })

  test('a hub token that the wallet lacks is missing liquidity', () => {
    const swap = swapOf({ destination: BOUGHT, quote: quoteFor(PURCHASE, usdc(100), SLIPPAGE) })
    const terms = termsFor(swap, [deposit], { ...PURCHASE, liquidityUnits: usdc(99) }, decision)
    expect(terms).toBe('insufficient_liquidity')
  })

  test('a route over another hub token does not replace the agreed one', () => {
    const quote = quoteFor(PURCHASE, usdc(100), SLIPPAGE) ?? fail()
    const other = {
      ...PURCHASE,
      purchase: { ...leg(false), hub: tokenOf({ network: 'BETA', contract: '0xother' }), route: 'other' },
    }
    const today = quoteFor(other, usdc(100), SLIPPAGE) ?? fail()
    expect(withRoutesOf(quote, today).legs?.purchase?.route).toBe('purchase 100000')
  })
})

function fail(): never {
  throw new Error('no quote')
}
