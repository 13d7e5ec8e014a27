/**
 * Decides what the confirmed deposits of a waiting swap become: an output at the quoted or at today's price, a sale whose
 * proceeds pay for the output, or a refund. Part of `advance`, which passes its working copy of the swap.
 */
import { Bug } from '../money/errors.ts'
import type { Amount } from '../money/money.ts'
import { outputPromised, type Posting, refuelPromised, reversed, salePromised } from './ledger.ts'
import { type LegQuote, mostProceeds } from './legs.ts'
import type { PayoutLeg } from './payout.ts'
import { limitsFor, maxByOperator, type Pricing, paidUnits, type Quote, takenFor } from './quote.ts'
import {
  activePayout,
  deriveStatus,
  fail,
  freeDeposits,
  hasRefund,
  order,
  refundAll,
  refundDeposit,
  reverseLoss,
  sumOf,
  unspent,
} from './refund.ts'
import type { Context, Deposit, Step, Swap } from './swap.ts'
import { type Terms, termsFor } from './terms.ts'
import { isFullyFunded, isPriceWaitOver, isReadyToSettle } from './waiting.ts'

/** Called when a deposit is confirmed and on every tick. Leaves the swap waiting if more money may still arrive. */
export function settle(step: Step, context: Context): void {
  const { swap } = step
  const { now } = context
  const free = freeDeposits(swap)
  // A deposit that was seen in time keeps the window open until it is confirmed or gone.
  const onItsWay = swap.deposits.some(({ state, seenAt }) => state === 'seen' && seenAt < swap.expiresAt)
  const late = swap.status === 'expired' || (now >= swap.expiresAt && !onItsWay)
  if (free.length === 0) {
    swap.repriceSince = null
    if (late) swap.status = 'expired'
    return
  }
  if (!context.pricing) {
    // The route may come back before the window closes; after that the deposit is refunded. If the refund's fee is
    // unknown, the deposit is owed: an operator is alerted and may state the fee.
    if (late && context.refundFeeUnits !== null) refundAll(step, context, 'swap_route_unavailable')
    else if (late) swap.status = 'expired'
    return
  }
  // A refuel that the swap did not request is neither charged nor sent.
  const pricing = swap.refuel ? context.pricing : { ...context.pricing, refuel: null }
  const tooMuch = free.filter((deposit) => isTooMuch(swap, deposit, pricing))
  if (tooMuch.some((deposit) => isOwn(swap, deposit))) {
    fail(step, context, 'received_more_than_valid_range')
    return
  }
  // Anyone who knows the swap's public reference can send too much with it. Such a deposit is returned alone and does
  // not change the swap.
  returnAlone(step, tooMuch, context)
  const parts = free.filter((deposit) => !tooMuch.includes(deposit))
  if (parts.length === 0 || hasRefund(swap)) {
    swap.repriceSince = null
    if (late && !hasRefund(swap)) swap.status = 'expired'
    return
  }
  const min = limitsFor(pricing).minUnits
  const isWhole = isFullyFunded(swap, sumOf(parts), min)
  if (!isWhole && sumOf(parts) < min) {
    // No deposit waits for a better price any more: the next one gets a new waiting time.
    swap.repriceSince = null
    if (late) closeShort(step, context)
    return
  }
  if (!late && !isReadyToSettle(swap, parts, isWhole, context)) return
  const isLast = isPriceWaitOver(swap, context)
  const terms = termsFor(swap, parts, pricing, { deviationBps: context.quoteDeviationBps, isLast })
  if (terms === 'degraded_quote' && !isLast) {
    // Waits for a better price even after the window closed: the money is here, and no further deposit is requested.
    swap.repriceSince ??= now
    swap.status = 'user_transfer_pending'
    return
  }
  swap.repriceSince = null
  if (typeof terms === 'string') refundAll(step, context, terms)
  else accept(step, terms, context)
}

/**
 * The window closed below the minimum: the swap fails and the parts are refunded. Neither a third party's deposit nor
 * dust after expiry fails the swap. They are returned alone or kept, and a real deposit can still re-open the swap.
 */
function closeShort(step: Step, context: Context): void {
  const { swap } = step
  const fee = context.refundFeeUnits
  if (fee === null) return
  const free = freeDeposits(swap)
  const isNothing = (deposit: Deposit) => swap.status === 'expired' && unspent(deposit) <= fee
  if (free.every((deposit) => isStrangers(swap, deposit) || isNothing(deposit))) {
    swap.status = 'expired'
    returnAlone(step, free, context)
    return
  }
  const reason = 'received_less_than_valid_range'
  if (swap.status === 'expired') refundAll(step, context, reason)
  else fail(step, context, reason)
}

/**
 * Returns these deposits without changing the swap. A deposit that was returned once and re-mined with more may need a
 * refund instead, which ends the swap.
 */
function returnAlone(step: Step, deposits: Deposit[], context: Context): void {
  for (const deposit of deposits) refundDeposit(step, deposit, 'return', context)
  if (hasRefund(step.swap)) deriveStatus(step.swap)
}

/**
 * Whether one deposit is above the operator's maximum and above the request. Each deposit is judged alone, so others
 * cannot push it over.
 */
function isTooMuch({ requestedUnits, userExchange }: Swap, deposit: Deposit, pricing: Pricing): boolean {
  const units = unspent(deposit)
  const agreed = requestedUnits !== null && userExchange ? mostProceeds(requestedUnits) : requestedUnits
  return units > maxByOperator(pricing) && (agreed === null || units > agreed)
}

/**
 * Whether the deposit is certainly the swap's own: by deposit address, or by the sender that the swap named. Anyone can
 * use a public reference.
 */
function isOwn(swap: Swap, deposit: Deposit): boolean {
  return swap.usesDepositAddress || (swap.sourceAddress !== null && deposit.from === swap.sourceAddress)
}

/**
 * Whether the deposit certainly came from a third party. If the swap named no sender, no deposit counts as a third
 * party's.
 */
function isStrangers(swap: Swap, deposit: Deposit): boolean {
  return !swap.usesDepositAddress && swap.sourceAddress !== null && deposit.from !== swap.sourceAddress
}

function accept(step: Step, { quote, used, oldPrice }: Terms, context: Context): void {
  const { swap } = step
  step.oldPrice = oldPrice
  if (swap.requestedUnits !== null && swap.quote !== quote) swap.originalQuote ??= swap.quote
  swap.quote = quote
  swap.status = 'ls_transfer_pending'
  swap.failReason = null
  let missing = quote.requestedUnits
  for (const deposit of used) {
    deposit.outputUnits = unspent(deposit) < missing ? unspent(deposit) : missing
    missing -= deposit.outputUnits
  }
  if (missing !== 0n) throw new Bug('accepted a swap that is not covered', { swap: swap.id, missing })
  if (quote.legs?.sale) orderSale(step, quote.legs.sale, context)
  else orderOutput(step, quote)
  for (const deposit of freeDeposits(swap)) refundDeposit(step, deposit, 'return', context)
}

/** Sells the used deposits. The output is ordered when the sale is confirmed. */
function orderSale({ swap, postings }: Step, sale: LegQuote, { sellingWallet: to }: Context): void {
  if (to === undefined) throw new Bug('a sale without a wallet', { swap: swap.id })
  const [token, units] = [swap.source, sale.inUnits]
  order(swap, { kind: 'sale', depositId: null, token, units, feeUnits: 0n, to, leg: legOf(sale) })
  postings.push(salePromised(swap.id, token, units))
}

/** Orders the output and the refuel at this quote, from the deposits or from the proceeds of their sale. */
export function orderOutput({ swap, postings }: Step, quote: Quote): void {
  const to = swap.destinationAddress
  const purchase = quote.legs?.purchase
  order(swap, {
    kind: 'output',
    depositId: null,
    token: purchase?.sells ?? swap.destination,
    units: paidUnits(quote),
    feeUnits: 0n,
    to,
    ...(purchase && { leg: legOf(purchase) }),
  })
  if (swap.refuel && quote.refuelUnits > 0n) {
    order(swap, {
      kind: 'refuel',
      depositId: null,
      token: swap.refuel,
      units: quote.refuelUnits,
      feeUnits: 0n,
      to,
    })
  }
  postings.push(...promises(swap, quote))
}

function legOf({ provider, buys, minUnits, route }: LegQuote): PayoutLeg {
  return { provider, buys, minUnits, route }
}

/** The postings that turn deposits, or the proceeds of their sale, into the promise of an output, then of a refuel. */
export function promises(swap: Swap, quote: Quote): Posting[] {
  const taken = takenFor(quote, swap.source)
  const output = outputPromised(swap.id, taken.token, swap.destination, taken.quote)
  if (!swap.refuel || quote.refuelUnits === 0n) return [output]
  return [output, refuelPromised(swap.id, taken.token, swap.refuel, taken.quote)]
}

/** Voids a sale that was not made: the deposits are free again. */
export function takeSaleBack(step: Step, { token, units }: Amount): void {
  step.postings.push(reversed(salePromised(step.swap.id, token, units), 'sale taken back'))
  releaseOutput(step, 0n)
}

/**
 * Voids the output: its money is free again, except the share of a refuel that may be in flight. Sold deposits stay used:
 * their proceeds are free.
 */
export function takeOutputBack(step: Step): void {
  const { swap } = step
  if (!swap.quote) return
  const [output, refuelPosting] = promises(swap, swap.quote)
  const refuel = activePayout(swap, 'refuel')
  const keepsRefuel = refuel !== undefined && (refuel.started || refuel.state === 'confirmed')
  if (output) step.postings.push(reversed(output, 'output taken back'))
  if (refuel && refuelPosting && !keepsRefuel) {
    refuel.state = 'abandoned'
    step.postings.push(reversed(refuelPosting, 'refuel taken back'))
  }
  if (!swap.quote.legs?.sale) releaseOutput(step, keepsRefuel ? swap.quote.refuelInSourceUnits : 0n)
}

/** Voids the refuel: its share is free again. */
export function takeRefuelBack(step: Step): void {
  const { swap } = step
  if (!swap.quote) return
  const [, refuelPosting] = promises(swap, swap.quote)
  if (refuelPosting) step.postings.push(reversed(refuelPosting, 'refuel taken back'))
  const { requestedUnits, refuelInSourceUnits, legs } = swap.quote
  if (!legs?.sale) releaseOutput(step, activePayout(swap, 'output') ? requestedUnits - refuelInSourceUnits : 0n)
}

/**
 * Frees the deposits' units that the output and the refuel used, except `keptUnits`. Those stay on deposits that still
 * exist, to keep losses small, and first on deposits that are partly returned already.
 */
function releaseOutput(step: Step, keptUnits: bigint): void {
  const { swap } = step
  const rank = ({ id, state }: Deposit) => (state !== 'confirmed' ? 2 : activePayout(swap, 'return', id) ? 0 : 1)
  let kept = keptUnits
  for (const deposit of [...swap.deposits].sort((a, b) => rank(a) - rank(b))) {
    const keeps = deposit.outputUnits < kept ? deposit.outputUnits : kept
    const freed = deposit.outputUnits - keeps
    deposit.outputUnits = keeps
    kept -= keeps
    reverseLoss(step, deposit, freed)
  }
}
