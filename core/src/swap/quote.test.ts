import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DESTINATION, dollars, GAS, PRICING, quoted, REFUEL, tokenOf, usdc } from '../fixtures.ts'
import { displayStep, ONE, roundToDisplay } from '../money/money.ts'
import {
  convert,
  deliverableUnits,
  limitsFor,
  maxByOperator,
  type Pricing,
  type Quote,
  quoteFor,
  rateOf,
  resized,
  totalFee,
} from './quote.ts'

const decimals = fc.integer({ min: 0, max: 18 })
const token = (network: string) =>
  fc
    .record({ decimals, precision: decimals })
    .map((fields) => tokenOf({ network, contract: `0x${network}`, ...fields }))
const price = fc.bigInt({ min: 10n ** 10n, max: 10n ** 24n })
const feeUsd = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 20n }))
const slippage = fc.bigInt({ min: 0n, max: ONE })

const pricing: fc.Arbitrary<Pricing> = fc
  .record({
    source: token('ALPHA'),
    destination: token('BETA'),
    sourcePrice: price,
    destinationPrice: price,
    blockchainFeeUsd: feeUsd,
    serviceFeeBps: fc.bigInt({ min: 0n, max: 9_999n }),
    serviceFeeUsd: feeUsd,
    minUsd: feeUsd,
    maxUsd: fc.bigInt({ min: 0n, max: 10n ** 26n }),
    liquidityUnits: fc.bigInt({ min: 0n, max: 10n ** 30n }),
    refuelUsd: fc.option(feeUsd),
    refuelUnits: fc.bigInt({ min: 1n, max: 10n ** 18n }),
    isRefuelSame: fc.boolean(),
  })
  .map(({ refuelUsd, refuelUnits, isRefuelSame, ...rest }) => {
    const refuelToken = isRefuelSame ? rest.destination : GAS
    return { ...rest, refuel: refuelUsd === null ? null : { token: refuelToken, units: refuelUnits, usd: refuelUsd } }
  })

const samePricing = pricing.map((each) => ({
  ...each,
  destination: { ...each.source, network: 'BETA' },
  destinationPrice: each.sourcePrice,
}))

const request = fc.bigInt({ min: 0n, max: 10n ** 28n })

function whenQuoted(terms: Pricing, units: bigint, tolerance: bigint, check: (quote: Quote) => void): void {
  const quote = quoteFor(terms, units, tolerance)
  if (quote) check(quote)
}

describe('a quote', () => {
  test('of 100 USDC is exact', () => {
    expect(quoted(usdc(100))).toEqual({
      requestedUnits: 100_000_000n,
      blockchainFeeUnits: 500_000n,
      serviceFeeUnits: 200_000n,
      refuelInSourceUnits: 0n,
      refuelUnits: 0n,
      receiveUnits: 99_300_000n,
      minReceiveUnits: 98_307_000n,
      slippage: ONE / 100n,
    })
    expect(rateOf(PRICING)).toBe(ONE)
  })

  test('with a refuel deducts its value from the source and names its own units', () => {
    const quote = quoted(usdc(100), { ...PRICING, refuel: REFUEL })
    expect(quote).toMatchObject({
      refuelInSourceUnits: 1_000_000n,
      refuelUnits: REFUEL.units,
      receiveUnits: 98_300_000n,
    })
  })

  test('delivers the rest after fees and refuel at the rate, rounded down to the base unit', () => {
    fc.assert(
      fc.property(pricing, request, slippage, (terms, units, tolerance) => {
        whenQuoted(terms, units, tolerance, (quote) => {
          const left = quote.requestedUnits - totalFee(quote) - quote.refuelInSourceUnits
          const numerator = left * terms.sourcePrice * 10n ** BigInt(terms.destination.decimals)
          const denominator = terms.destinationPrice * 10n ** BigInt(terms.source.decimals)
          expect(quote.receiveUnits).toBe(numerator / denominator)
          expect(totalFee(quote)).toBe(quote.blockchainFeeUnits + quote.serviceFeeUnits)
          expect(quote.minReceiveUnits).toBe((quote.receiveUnits * (ONE - tolerance)) / ONE)
          expect(quote.receiveUnits > 0n && quote.requestedUnits === units).toBe(true)
        })
      }),
    )
  })

  test('never rounds a fee down', () => {
    fc.assert(
      fc.property(pricing, request, (terms, units) => {
        whenQuoted(terms, units, 0n, (quote) => {
          const scale = 10n ** BigInt(terms.source.decimals)
          const costs = (fee: bigint, usd: bigint) => fee * terms.sourcePrice >= usd * scale
          expect(costs(quote.blockchainFeeUnits, terms.blockchainFeeUsd)).toBe(true)
          const share = units * terms.serviceFeeBps * terms.sourcePrice
          const service = quote.serviceFeeUnits * terms.sourcePrice * 10_000n
          expect(service >= share + terms.serviceFeeUsd * scale * 10_000n).toBe(true)
          expect(costs(quote.refuelInSourceUnits, terms.refuel?.usd ?? 0n)).toBe(true)
        })
      }),
    )
  })

  test('of the same token balances: the difference is exactly the fees', () => {
    fc.assert(
      fc.property(samePricing, request, (terms, units) => {
        whenQuoted(terms, units, 0n, (quote) => {
          expect(units).toBe(quote.receiveUnits + totalFee(quote) + quote.refuelInSourceUnits)
        })
      }),
    )
  })

  test('of the same token also balances in the digits that people are shown', () => {
    fc.assert(
      fc.property(samePricing, request, (terms, units) => {
        const { source } = terms
        const onGrid = roundToDisplay(units, source, 'down')
        whenQuoted(terms, onGrid, 0n, (quote) => {
          const shown = (value: bigint) => roundToDisplay(value, source, 'down')
          const fees = shown(quote.blockchainFeeUnits) + shown(quote.serviceFeeUnits)
          expect(fees).toBe(shown(totalFee(quote)))
          expect(onGrid).toBe(shown(quote.receiveUnits) + fees + shown(quote.refuelInSourceUnits))
        })
      }),
    )
  })

  test('never delivers less for more, in steps of shown digits', () => {
    fc.assert(
      fc.property(pricing, request, fc.bigInt({ min: 0n, max: 1000n }), (terms, units, steps) => {
        const less = roundToDisplay(units, terms.source, 'down')
        const more = less + steps * displayStep(terms.source)
        const receive = (value: bigint) => quoteFor(terms, value, 0n)?.receiveUnits ?? 0n
        expect(receive(less) <= receive(more)).toBe(true)
      }),
    )
  })

  test('is null if the fees use up the amount', () => {
    expect(quoteFor(PRICING, usdc(0.6), 0n)).toBe(null)
    expect(quoteFor(PRICING, 0n, 0n)).toBe(null)
    expect(() => quoteFor(PRICING, usdc(10), ONE + 1n)).toThrow('slippage')
    expect(() => quoteFor(PRICING, usdc(10), -1n)).toThrow('slippage')
  })
})

describe('limits', () => {
  test('are exact', () => {
    expect(limitsFor(PRICING)).toEqual({ minUnits: usdc(2), maxUnits: usdc(1000) })
    const dear = { ...PRICING, blockchainFeeUsd: dollars(5) }
    expect(limitsFor(dear).minUnits).toBe(usdc(10.2))
    expect(limitsFor({ ...PRICING, liquidityUnits: usdc(50) }).maxUnits).toBe(usdc(50.6))
    expect(maxByOperator({ ...PRICING, liquidityUnits: 0n })).toBe(usdc(1000))
  })

  test('every amount inside them has a quote that the liquidity covers', () => {
    fc.assert(
      fc.property(pricing, fc.bigInt({ min: 0n, max: 10n ** 18n }), (terms, place) => {
        const { minUnits, maxUnits } = limitsFor(terms)
        if (minUnits > maxUnits) return
        const units = minUnits + (place * (maxUnits - minUnits)) / 10n ** 18n
        for (const each of [units, minUnits, minUnits + 1n > maxUnits ? minUnits : minUnits + 1n, maxUnits]) {
          const quote = quoteFor(terms, each, 0n)
          expect(quote).not.toBe(null)
          expect((quote?.receiveUnits ?? 0n) <= deliverableUnits(terms)).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('are not empty if the route has liquidity and the operator allows it', () => {
    fc.assert(
      fc.property(pricing, (terms) => {
        const { minUnits } = limitsFor(terms)
        const worth = (minUnits * terms.sourcePrice) / 10n ** BigInt(terms.source.decimals)
        const grid = (displayStep(terms.source) * terms.sourcePrice) / 10n ** BigInt(terms.source.decimals)
        const wealthy = { ...terms, maxUsd: worth + 2n * grid + 2n * ONE, liquidityUnits: 10n ** 60n }
        const limits = limitsFor({ ...wealthy, maxUsd: wealthy.maxUsd + terms.sourcePrice })
        expect(limits.minUnits <= limits.maxUnits).toBe(true)
      }),
    )
  })

  test('shrink with the liquidity and never grow', () => {
    fc.assert(
      fc.property(pricing, fc.bigInt({ min: 0n, max: 10n ** 30n }), (terms, more) => {
        const richer = { ...terms, liquidityUnits: terms.liquidityUnits + more }
        expect(limitsFor(terms).maxUnits <= limitsFor(richer).maxUnits).toBe(true)
        expect(limitsFor(terms).minUnits).toBe(limitsFor(richer).minUnits)
      }),
    )
  })

  test('allow nothing if nothing can be delivered', () => {
    fc.assert(
      fc.property(pricing, (terms) => {
        const { minUnits, maxUnits } = limitsFor({ ...terms, liquidityUnits: 0n })
        expect(minUnits > maxUnits).toBe(true)
      }),
    )
  })

  test('reserve what a refuel takes from the same wallet', () => {
    const refuel = { token: DESTINATION, units: usdc(1), usd: dollars(1) }
    expect(deliverableUnits({ ...PRICING, refuel, liquidityUnits: usdc(50) })).toBe(usdc(49))
    expect(deliverableUnits({ ...PRICING, refuel, liquidityUnits: 1n })).toBe(0n)
    expect(deliverableUnits({ ...PRICING, refuel: REFUEL, liquidityUnits: usdc(50) })).toBe(usdc(50))
  })

  test('reject a service fee that takes everything', () => {
    expect(() => limitsFor({ ...PRICING, serviceFeeBps: 10_000n })).toThrow('everything')
  })
})

describe('a quote resized to another amount', () => {
  test('keeps the network fee whole, recomputes the service fee, and delivers no more than the rate', () => {
    fc.assert(
      fc.property(pricing, request, request, (terms, units, came) => {
        whenQuoted(terms, units, ONE / 100n, (quote) => {
          const other = resized(quote, came, terms)
          const fresh = quoteFor(terms, came, ONE / 100n)
          if (!other || !fresh) return
          expect(other.requestedUnits).toBe(came)
          expect(other.blockchainFeeUnits).toBe(quote.blockchainFeeUnits)
          expect(other.serviceFeeUnits).toBe(fresh.serviceFeeUnits)
          const left = came - totalFee(other) - other.refuelInSourceUnits
          expect(other.receiveUnits <= convert(terms, left)).toBe(true)
          expect(other.minReceiveUnits <= other.receiveUnits).toBe(true)
        })
      }),
    )
  })

  test('is exact', () => {
    const price = quoted(usdc(100))
    expect(resized(price, usdc(100), PRICING)).toBe(price)
    expect(resized(price, usdc(100) - 1n, PRICING)).toMatchObject({
      requestedUnits: 99_999_999n,
      receiveUnits: 99_299_999n,
      minReceiveUnits: 98_306_999n,
    })
    // Of 50, 0.5 and 0.15 are fees, whatever the networks charge today.
    const dear = { ...PRICING, blockchainFeeUsd: dollars(7) }
    expect(resized(price, usdc(50), dear)).toMatchObject({ serviceFeeUnits: usdc(0.15), receiveUnits: usdc(49.35) })
    expect(resized(price, usdc(200), dear)).toMatchObject({ serviceFeeUnits: usdc(0.3), receiveUnits: usdc(199.2) })
    expect(resized(price, usdc(0.6), PRICING)).toBe(null)
  })
})
