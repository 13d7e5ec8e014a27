/**
 * Which price the deposits are swapped at, and how much of them. The quote applies to deposits within its term, up to
 * the request, while it is not much worse for us than the current price. The rest is swapped at the current price if
 * that is within the agreed slippage. Part of `advance`.
 */

import { mostProceeds, withBounds, withLeast, withRoutesOf } from './legs.ts'
import {
  deliverableUnits,
  isNear,
  limitsFor,
  maxByOperator,
  type Pricing,
  paidUnits,
  type Quote,
  quoteFor,
  resized,
} from './quote.ts'
import { type OldPrice, oldPriceOf } from './quote-term.ts'
import { activePayout, sumOf, unspent } from './refund.ts'
import type { Deposit, FailReason, Swap } from './swap.ts'
import { isAlmostFunded, isProceeds } from './waiting.ts'

export interface Terms {
  quote: Quote
  /** The deposits that are swapped. They hold at least the quote's amount; the excess is returned. */
  used: Deposit[]
  /** Set if these terms cost us more than the service fee, compared with the current price. */
  oldPrice: OldPrice | null
}

export interface Decision {
  /** How much worse for us than the current price a quote may be and still be paid. */
  deviationBps: bigint
  /** Whether this is the last try: after it the money is refunded. */
  isLast: boolean
}

/** The terms of the swap, or the reason for a refund. On `degraded_quote` the caller may wait for a better price. */
export function termsFor(swap: Swap, parts: Deposit[], pricing: Pricing, decision: Decision): Terms | FailReason {
  const asked = swap.requestedUnits
  const max = maxByOperator(pricing)
  if (asked === null) return openTerms(swap, fitting(parts, max), pricing)
  const agreed = swap.originalQuote ?? swap.quote
  const total = sumOf(parts)
  const quotedUpTo = (units: bigint) => agreed && quotedTerms(swap, agreed, units, parts, pricing, decision)
  // The depositor's exchange brought more than expected, as a sale of ours may.
  const gained = swap.userExchange && total > asked ? quotedUpTo(mostProceeds(asked)) : null
  if (gained && total <= gained.quote.requestedUnits && isDeliverable(gained.quote, pricing)) return gained
  const quoted = quotedUpTo(asked)
  if (quoted && total <= quoted.quote.requestedUnits && isDeliverable(quoted.quote, pricing)) return quoted
  // First the whole sum at the current price. If it is above the maximum, only the requested amount, as quoted if the
  // quote applied.
  const whole = total <= asked || total <= max ? [total] : []
  const amounts = quoted || total <= asked ? whole : [...whole, asked]
  const today = amounts.flatMap((units) => todaysTerms(swap, agreed, units, parts, pricing, quoted) ?? [])
  const terms = [...today, ...(quoted ? [quoted] : [])]
  if (terms.length === 0) return 'degraded_quote'
  return terms.find(({ quote }) => isDeliverable(quote, pricing)) ?? 'insufficient_liquidity'
}

function openTerms(swap: Swap, used: Deposit[], pricing: Pricing): Terms | FailReason {
  const quote = quoteFor(pricing, sumOf(used), swap.slippage)
  if (!quote) return 'degraded_quote'
  return isDeliverable(quote, pricing) ? { quote, used, oldPrice: null } : 'insufficient_liquidity'
}

/**
 * Terms at the quoted price, for deposits within the quote's term, unless the price has moved too far. A later deposit,
 * even a third party's, does not reduce them. Only if these deposits are far below the request, a swap of all deposits
 * together is tried first.
 */
function quotedTerms(
  swap: Swap,
  agreed: Quote,
  asked: bigint,
  parts: Deposit[],
  pricing: Pricing,
  { deviationBps, isLast }: Decision,
): Terms | null {
  const inTime = parts.filter(({ cameAt }) => cameAt <= swap.quoteExpiresAt)
  const held = sumOf(inTime)
  const units = held < asked ? held : asked
  const isAlone = inTime.length === parts.length || isAlmostFunded(swap, units)
  if (!isAlone && !(isLast && units >= limitsFor(pricing).minUnits)) return null
  const sized = agreedAt(swap, agreed, units, pricing)
  const today = quoteFor(pricing, units, swap.slippage)
  if (!sized || !today || !isNear(sized, today, deviationBps)) return null
  // As after a sale of ours. A purchase gives a larger amount a worse price, and could miss a minimum that grew with it.
  const isGain = units > agreed.requestedUnits
  const quote = isGain ? withBounds({ ...sized, minReceiveUnits: agreed.minReceiveUnits }) : sized
  // Only if the fees were raised since the depositor's exchange was bounded.
  if (quote.receiveUnits < quote.minReceiveUnits) return null
  const oldPrice = oldPriceOf(quote, today, pricing)
  return { quote: withRoutesOf(quote, today), used: chooseDeposits(swap, inTime, units), oldPrice }
}

/**
 * The agreed quote for this amount. If the depositor's exchange brought less than expected, a pool took the difference, and
 * the depositor left nothing out: the promised minimum stays.
 */
function agreedAt(swap: Swap, agreed: Quote, units: bigint, pricing: Pricing): Quote | null {
  const quote = resized(agreed, units, pricing)
  if (!quote || !isProceeds(swap, units) || quote.minReceiveUnits >= agreed.minReceiveUnits) return quote
  return withBounds({ ...quote, minReceiveUnits: agreed.minReceiveUnits })
}

/** Terms at the current price, within the slippage that the user agreed to, and never below the quoted terms. */
function todaysTerms(
  swap: Swap,
  agreed: Quote | null,
  units: bigint,
  parts: Deposit[],
  pricing: Pricing,
  quoted: Terms | null,
): Terms | null {
  // While the quote applies, its network fee does, too; afterwards all fees are current.
  const quote = quoteFor(pricing, units, swap.slippage, quoted?.quote.blockchainFeeUnits)
  const least = agreed && agreedAt(swap, agreed, units, pricing)
  if (!quote || (agreed && (!least || quote.receiveUnits < least.minReceiveUnits))) return null
  if (quoted && quote.receiveUnits < quoted.quote.receiveUnits) return null
  // An exchange decides how much arrives, so it must not go below what was promised either.
  const bounded = least ? withLeast(quote, least.minReceiveUnits) : quote
  // The quoted network fee may be far below the current one.
  const oldPrice = quoted && oldPriceOf(quote, quoteFor(pricing, units, swap.slippage), pricing)
  return { quote: bounded, used: units === sumOf(parts) ? parts : chooseDeposits(swap, parts, units), oldPrice }
}

function isDeliverable(quote: Quote, pricing: Pricing): boolean {
  return paidUnits(quote) <= deliverableUnits(pricing)
}

/**
 * The deposits to use for an amount. Prefers the smallest deposit that covers the amount alone: all others are then an
 * excess. A deposit that is partly returned already is used first, since its rest would cost another transfer.
 */
function chooseDeposits(swap: Swap, free: Deposit[], wanted: bigint): Deposit[] {
  const begun = free.filter(({ id }) => activePayout(swap, 'return', id))
  const covering = free
    .filter((deposit) => unspent(deposit) >= wanted)
    .sort((a, b) => Number(unspent(a) > unspent(b)) - Number(unspent(a) < unspent(b)))[0]
  if (covering && begun.length === 0) return [covering]
  const used: Deposit[] = []
  for (const deposit of [...begun, ...free.filter((other) => !begun.includes(other))]) {
    if (sumOf(used) >= wanted) break
    used.push(deposit)
  }
  return used
}

/** The first deposits of an open amount that fit under the maximum; the others are returned. */
function fitting(parts: Deposit[], max: bigint): Deposit[] {
  const used: Deposit[] = []
  for (const deposit of parts) if (sumOf(used) + unspent(deposit) <= max) used.push(deposit)
  return used
}
