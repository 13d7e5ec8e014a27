/**
 * What the confirmed money of a waiting swap is good for: an output at the quoted or at today's price, or a refund.
 * Part of `advance`, which calls it on the copy of the swap that it is working on.
 */
import { Bug } from '../money/errors.ts'
import { outputPromised, type Posting, refuelPromised, reversed } from './ledger.ts'
import { limitsFor, maxByOperator, type Pricing, type Quote } from './quote.ts'
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

/** Called when a deposit is confirmed and when time has passed. Leaves the swap waiting where more money may still come. */
export function settle(step: Step, context: Context): void {
  const { swap } = step
  const { now } = context
  const free = freeDeposits(swap)
  // A deposit on its way to confirmation came in time: the window stays open until it is confirmed or gone.
  const onItsWay = swap.deposits.some(({ state, seenAt }) => state === 'seen' && seenAt < swap.expiresAt)
  const late = swap.status === 'expired' || (now >= swap.expiresAt && !onItsWay)
  if (free.length === 0) {
    swap.repriceSince = null
    if (late) swap.status = 'expired'
    return
  }
  if (!context.pricing) {
    // The route may come back before the window closes; after that the money goes home.
    if (late && context.refundFeeUnits !== null) refundAll(step, context, 'swap_route_unavailable')
    return
  }
  // A refuel that the swap did not ask for is neither charged nor sent.
  const pricing = swap.refuel ? context.pricing : { ...context.pricing, refuel: null }
  const tooMuch = free.filter((deposit) => isTooMuch(swap, deposit, pricing))
  if (tooMuch.some((deposit) => isOwn(swap, deposit))) {
    fail(step, context, 'received_more_than_valid_range')
    return
  }
  // Whoever knows the swap's public number can send too much under it: that goes back alone and decides nothing.
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
    // What waited for a better price is not here any more: the next has its own time.
    swap.repriceSince = null
    if (late) closeShort(step, context)
    return
  }
  if (!late && !isReadyToSettle(swap, parts, isWhole, context)) return
  const isLast = isPriceWaitOver(swap, context)
  const terms = termsFor(swap, parts, pricing, { deviationBps: context.quoteDeviationBps, isLast })
  if (terms === 'degraded_quote' && !isLast) {
    // It waits for a better price, also where its window is closed: the money is here, and nobody is asked for more.
    swap.repriceSince ??= now
    swap.status = 'user_transfer_pending'
    return
  }
  swap.repriceSince = null
  if (typeof terms === 'string') refundAll(step, context, terms)
  else accept(step, terms, context)
}

/**
 * The window closed on less than the minimum: a failed swap, and the parts go back. What a stranger sent under the public
 * number decides nothing, nor does dust that comes when the window is closed: it goes back alone or is kept, and the swap
 * can still be re-opened by a real deposit.
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

/** One that went back once and landed again larger may have to be refunded, and that ends the swap. */
function returnAlone(step: Step, deposits: Deposit[], context: Context): void {
  for (const deposit of deposits) refundDeposit(step, deposit, 'return', context)
  if (hasRefund(step.swap)) deriveStatus(step.swap)
}

/** What was asked for is never too much. Each part counts alone: others beside it do not make it too much. */
function isTooMuch({ requestedUnits }: Swap, deposit: Deposit, pricing: Pricing): boolean {
  const units = unspent(deposit)
  return units > maxByOperator(pricing) && (requestedUnits === null || units > requestedUnits)
}

/** Certainly the swap's own: by its address, or by whom the swap named. Anybody can send under a public number. */
function isOwn(swap: Swap, deposit: Deposit): boolean {
  return swap.usesDepositAddress || (swap.sourceAddress !== null && deposit.from === swap.sourceAddress)
}

/** Certainly somebody else's. Where the swap named nobody, nobody is a stranger. */
function isStrangers(swap: Swap, deposit: Deposit): boolean {
  return !swap.usesDepositAddress && swap.sourceAddress !== null && deposit.from !== swap.sourceAddress
}

function accept(step: Step, { quote, used }: Terms, context: Context): void {
  const { swap } = step
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
  const to = swap.destinationAddress
  order(swap, {
    kind: 'output',
    depositId: null,
    token: swap.destination,
    units: quote.receiveUnits,
    feeUnits: 0n,
    to,
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
  step.postings.push(...promises(swap, quote))
  for (const deposit of freeDeposits(swap)) refundDeposit(step, deposit, 'return', context)
}

/** The postings that turn a deposit into the promise of an output, then of a refuel. */
function promises(swap: Swap, quote: Quote): Posting[] {
  const output = outputPromised(swap.id, swap.source, swap.destination, quote)
  if (!swap.refuel || quote.refuelUnits === 0n) return [output]
  return [output, refuelPromised(swap.id, swap.source, swap.refuel, quote)]
}

/** The output will not be sent: its money is free again, but for the share of a refuel that may be on its way. */
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
  releaseOutput(step, keepsRefuel ? swap.quote.refuelInSourceUnits : 0n)
}

/** The refuel will not be sent: its share is free again. */
export function takeRefuelBack(step: Step): void {
  const { swap } = step
  if (!swap.quote) return
  const [, refuelPosting] = promises(swap, swap.quote)
  if (refuelPosting) step.postings.push(reversed(refuelPosting, 'refuel taken back'))
  const { requestedUnits, refuelInSourceUnits } = swap.quote
  releaseOutput(step, activePayout(swap, 'output') ? requestedUnits - refuelInSourceUnits : 0n)
}

/**
 * Frees what the deliveries had used, but for `keptUnits`. Those stay on deposits that are there, so that a lost one is
 * the smallest loss, and first on those of which a part is going back already.
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
