/**
 * At what price the money that came is swapped, and how much of it. The quote holds for what came in its term, up to the
 * request, while it is not much worse for us than today's; what is more is swapped along at today's price, where that is
 * inside what the user agreed to. Part of `advance`.
 */
import {
  deliverableUnits,
  isNear,
  limitsFor,
  maxByOperator,
  type Pricing,
  type Quote,
  quoteFor,
  resized,
} from './quote.ts'
import { activePayout, sumOf, unspent } from './refund.ts'
import type { Deposit, FailReason, Swap } from './swap.ts'
import { isAlmostFunded } from './waiting.ts'

export interface Terms {
  quote: Quote
  /** They hold at least what the quote asks for; what is over goes back. */
  used: Deposit[]
}

export interface Decision {
  /** How much worse for us than today's price a quote may be that is still paid. */
  deviationBps: bigint
  /** The price is not asked for again after this. */
  isLast: boolean
}

/** The reason where the money must go back instead; `degraded_quote` where a better price may be waited for. */
export function termsFor(swap: Swap, parts: Deposit[], pricing: Pricing, decision: Decision): Terms | FailReason {
  const asked = swap.requestedUnits
  const max = maxByOperator(pricing)
  if (asked === null) return openTerms(swap, fitting(parts, max), pricing)
  const agreed = swap.originalQuote ?? swap.quote
  const total = sumOf(parts)
  const quoted = agreed && quotedTerms(swap, agreed, asked, parts, pricing, decision)
  if (quoted && total <= quoted.quote.requestedUnits && isDeliverable(quoted.quote, pricing)) return quoted
  // All of it at today's price; of what is too much together, what was asked for: as quoted where the quote held.
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
  return isDeliverable(quote, pricing) ? { quote, used } : 'insufficient_liquidity'
}

/**
 * What came in the quote's term, as quoted, unless the price has moved too far. A part that came later, a stranger's too,
 * takes nothing of it away; only where the rest was meant to come later, it is tried first to swap all of it together.
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
  const quote = resized(agreed, units, pricing)
  const today = quoteFor(pricing, units, swap.slippage)
  if (!quote || !isNear(quote, today, deviationBps)) return null
  return { quote, used: chooseDeposits(swap, inTime, units) }
}

/** Inside what the user agreed to, and never less than what is theirs as quoted. */
function todaysTerms(
  swap: Swap,
  agreed: Quote | null,
  units: bigint,
  parts: Deposit[],
  pricing: Pricing,
  quoted: Terms | null,
): Terms | null {
  // While the quote holds its networks' fee stands; after it everything is of today.
  const quote = quoteFor(pricing, units, swap.slippage, quoted?.quote.blockchainFeeUnits)
  const least = agreed && resized(agreed, units, pricing)
  if (!quote || (agreed && (!least || quote.receiveUnits < least.minReceiveUnits))) return null
  if (quoted && quote.receiveUnits < quoted.quote.receiveUnits) return null
  return { quote, used: units === sumOf(parts) ? parts : chooseDeposits(swap, parts, units) }
}

function isDeliverable(quote: Quote, pricing: Pricing): boolean {
  return quote.receiveUnits <= deliverableUnits(pricing)
}

/**
 * One deposit that covers the amount alone is preferred, the smallest such: whatever else came is an excess. But a
 * deposit of which a part is going back already is used first: its rest would cost a transfer of its own.
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

/** Of an open amount's parts as many as make one swap, the first ones first; the others go back. */
function fitting(parts: Deposit[], max: bigint): Deposit[] {
  const used: Deposit[] = []
  for (const deposit of parts) if (sumOf(used) + unspent(deposit) <= max) used.push(deposit)
  return used
}
