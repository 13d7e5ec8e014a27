/**
 * What the confirmed money of a waiting swap is good for: an output at the quoted or at today's price, or a refund.
 * Part of `advance`, which calls it on the copy of the swap that it is working on.
 */
import { Bug } from './errors.ts'
import { outputPromised, type Posting, refuelPromised } from './ledger.ts'
import { limitsFor, maxByOperator, type Pricing, type Quote, quoteFor } from './quote.ts'
import { fail, freeDeposits, giveBack, order, refundAll, unspent } from './refund.ts'
import type { Context, Deposit, Step, Swap } from './swap.ts'

/** Called when a deposit is confirmed and when time has passed. Leaves the swap waiting where more money may still come. */
export function settle(step: Step, context: Context): void {
  const { swap } = step
  const { pricing, now } = context
  const free = freeDeposits(swap)
  // A deposit on its way to confirmation came in time: the window stays open until it is confirmed or gone.
  const onItsWay = swap.deposits.some(({ state }) => state === 'seen')
  const late = swap.status === 'expired' || (now >= swap.expiresAt && !onItsWay)
  if (free.length === 0) {
    if (late) swap.status = 'expired'
    return
  }
  if (!pricing) {
    // The route may come back before the window closes; after that the money goes home.
    if (late && context.refundFeeUnits !== null) refundAll(step, context, 'swap_route_unavailable')
    return
  }
  const min = limitsFor(pricing).minUnits
  const wanted = swap.requestedUnits ?? min
  const used = swap.requestedUnits === null ? free : chooseDeposits(free, wanted)
  const total = sum(used)
  if (total < wanted) {
    if (late) closeShort(step, context, total < min)
    return
  }
  if (total > wanted && total > maxByOperator(pricing)) {
    fail(step, context, 'received_more_than_valid_range')
    return
  }
  const quote = priceFor(swap, swap.requestedUnits ?? total, used, pricing)
  if (!quote) {
    refundAll(step, context, 'degraded_quote')
    return
  }
  if (quote.receiveUnits > pricing.liquidityUnits) {
    refundAll(step, context, 'insufficient_liquidity')
    return
  }
  accept(step, quote, used, context)
}

/** The window closed on part of the amount. Anything below the minimum is a failed swap; either way the parts go back. */
function closeShort(step: Step, context: Context, belowMinimum: boolean): void {
  if (context.refundFeeUnits === null) return
  const reason = 'received_less_than_valid_range'
  if (belowMinimum && step.swap.status !== 'expired') fail(step, context, reason)
  else refundAll(step, context, reason)
}

/** One deposit that covers a fixed amount alone is preferred, the smallest such: whatever else came is an excess. */
function chooseDeposits(free: Deposit[], wanted: bigint): Deposit[] {
  const covering = free.filter((deposit) => unspent(deposit) >= wanted).sort((a, b) => (a.units < b.units ? -1 : 1))[0]
  return covering ? [covering] : free
}

/** The stored quote where the money came in time; else today's, if it is inside what the user agreed to. */
function priceFor(swap: Swap, units: bigint, used: Deposit[], pricing: Pricing): Quote | null {
  const fixed = swap.requestedUnits !== null ? swap.quote : null
  if (fixed && used.every(({ seenAt }) => seenAt <= swap.quoteExpiresAt)) return fixed
  const today = quoteFor(pricing, units, swap.slippage)
  if (!today || (fixed && today.receiveUnits < fixed.minReceiveUnits)) return null
  return today
}

function accept(step: Step, quote: Quote, used: Deposit[], context: Context): void {
  const { swap } = step
  swap.quote = quote
  swap.status = 'ls_transfer_pending'
  swap.failReason = null
  let missing = quote.requestedUnits
  for (const deposit of used) {
    deposit.outputUnits = unspent(deposit) < missing ? unspent(deposit) : missing
    missing -= deposit.outputUnits
  }
  if (missing !== 0n) throw new Bug('accepted a swap that is not covered', { swap: swap.id, missing })
  const to = swap.destinationAddress
  order(swap, { kind: 'output', depositId: null, token: swap.destination, units: quote.receiveUnits, to })
  if (swap.refuel && quote.refuelUnits > 0n) {
    order(swap, { kind: 'refuel', depositId: null, token: swap.refuel, units: quote.refuelUnits, to })
  }
  step.postings.push(...promises(swap, quote))
  for (const deposit of freeDeposits(swap)) giveBack(step, deposit, 'return', context)
}

/** The postings that turn a deposit into the promise of an output, then of a refuel. */
export function promises(swap: Swap, quote: Quote): Posting[] {
  const output = outputPromised(swap.id, swap.source, swap.destination, quote)
  if (!swap.refuel || quote.refuelUnits === 0n) return [output]
  return [output, refuelPromised(swap.id, swap.source, swap.refuel, quote)]
}

/** Frees what the output had used, but for `keptUnits`. */
export function releaseOutput(swap: Swap, keptUnits: bigint): void {
  let kept = keptUnits
  for (const deposit of swap.deposits) {
    const keep = deposit.outputUnits < kept ? deposit.outputUnits : kept
    deposit.outputUnits = keep
    kept -= keep
  }
}

function sum(deposits: Deposit[]): bigint {
  return deposits.reduce((total, deposit) => total + unspent(deposit), 0n)
}
