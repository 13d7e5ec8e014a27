/**
 * A chain that transfers fewer decimals than the token has: the service promises only what can be sent, and no unit is
 * lost.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PRICING, Story, tokenOf, usdc } from '../fixtures.ts'
import { limitsFor, type Pricing, quoteFor, resized } from '../swap/quote.ts'
import { roundToTransferable, transferableStep } from './money.ts'

/** Cents only. */
const COARSE = tokenOf({ network: 'BETA', contract: '0xbeta', sentDecimals: 2 })
const coarse: Pricing = { ...PRICING, destination: COARSE }

test('the transferable amount is at most the amount, and less than one step below it', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      fc.integer({ min: 0, max: 18 }),
      fc.option(fc.integer({ min: 0, max: 36 }), { nil: undefined }),
      (units, decimals, sentDecimals) => {
        const token = tokenOf({ decimals, ...(sentDecimals === undefined ? {} : { sentDecimals }) })
        const sent = roundToTransferable(units, token)
        expect(sent % transferableStep(token)).toBe(0n)
        expect(units - sent >= 0n && units - sent < transferableStep(token)).toBe(true)
        if (sentDecimals === undefined || sentDecimals >= decimals) expect(sent).toBe(units)
      },
    ),
  )
})

test('a quote promises a transferable amount, for its own and for another amount', () => {
  const quote = quoteFor(coarse, usdc(100.123456), 0n)
  const exact = quoteFor(PRICING, usdc(100.123456), 0n)
  expect(exact?.receiveUnits).toBe(usdc(99.423256))
  expect(quote?.receiveUnits).toBe(usdc(99.42))
  if (!quote) throw new Error('no quote')
  expect(resized(quote, usdc(50.005), coarse)?.receiveUnits).toBe(usdc(49.35))
})

test('every amount inside the limits has a quote of a transferable amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), fc.bigInt({ min: 0n, max: usdc(999) }), (sentDecimals, more) => {
      const terms = { ...PRICING, minUsd: 0n, destination: { ...COARSE, sentDecimals } }
      const { minUnits, maxUnits } = limitsFor(terms)
      const units = minUnits + more > maxUnits ? maxUnits : minUnits + more
      expect(quoteFor(terms, units, 0n)?.receiveUnits).toBeGreaterThanOrEqual(transferableStep(terms.destination))
    }),
  )
})

test('a refund is transferable, the rest is added to its fee, and the ledger balances', () => {
  const source = tokenOf({ sentDecimals: 2 })
  const story = new Story({ source }, { pricing: { ...PRICING, source } })
  story.deposit('a', usdc(100))
  story.land('output')
  story.deposit('b', usdc(40.123456))
  expect(story.standing.at(-1)).toBe('return of b: 39820000 to sender')
  expect(story.swap.payouts.at(-1)?.feeUnits).toBe(usdc(0.303456))
  story.land('return', 'b')
  expect(story.balance('customer', source)).toBe(0n)
  expect(story.balance('promised', source)).toBe(0n)
  // Above the fee but too little to transfer: it is kept, like dust.
  story.deposit('c', usdc(0.309))
  expect(story.standing).toHaveLength(2)
  expect(story.balance('customer', source)).toBe(0n)
})
