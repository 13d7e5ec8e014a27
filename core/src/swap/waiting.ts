/**
 * When the deposits are enough to swap. A sum that reaches the request is swapped at once, one that nearly does waits a
 * while for the rest, and a smaller one waits for the end of the window. Part of `advance`.
 */
import { PRICE_WAIT_MS } from './quote-term.ts'
import { freeDeposits, refundAddressFor, sumOf, unspent } from './refund.ts'
import type { Context, Deposit, Swap } from './swap.ts'

/** From this percentage on, the sum counts as the requested amount: an exchange probably deducted its fee. */
export const TOP_UP_SHARE = 90n
/** How long such a sum waits for the rest, unless the network file says otherwise. */
export const TOP_UP_MS = 120_000
/** A wallet that computes with floats may drop the last unit of a fixed amount; the quote shrinks with it. */
const ROUNDING_UNITS = 1n

/** Whether nothing is missing. For an open amount: at least the minimum is there. */
export function isFullyFunded(swap: Swap, units: bigint, minUnits: bigint): boolean {
  const { requestedUnits } = swap
  return units >= (requestedUnits === null ? minUnits : requestedUnits - ROUNDING_UNITS) || isProceeds(swap, units)
}

/** Whether the exchange of the depositor may have brought this: then no rest follows, and the agreed minimum holds. */
export function isProceeds({ userExchange }: Swap, units: bigint): boolean {
  return userExchange !== undefined && units >= userExchange.minUnits
}

/** Whether the sum is close enough to the request not to wait for the end of the window. */
export function isAlmostFunded({ requestedUnits }: Swap, units: bigint): boolean {
  return requestedUnits !== null && units * 100n >= requestedUnits * TOP_UP_SHARE
}

/** Whether these deposits are swapped now, before the end of the window. */
export function isReadyToSettle(swap: Swap, parts: Deposit[], isWhole: boolean, context: Context): boolean {
  const isOver = context.now >= toppedUpAt(parts, context)
  const isMoreComing = swap.deposits.some((deposit) => deposit.state === 'seen' && isWorthwhile(deposit, context))
  // An unconfirmed deposit that a third party sends with the public reference must not delay a fully paid swap for
  // long.
  if (isWhole) return isOver || !isMoreComing
  return isOver && !isMoreComing && isAlmostFunded(swap, sumOf(parts))
}

/** Whether the swap has waited long enough for a better price. */
export function isPriceWaitOver({ repriceSince }: Swap, { now }: Context): boolean {
  return repriceSince !== null && now.getTime() >= repriceSince.getTime() + PRICE_WAIT_MS
}

/** When a tick may change the decision. The end of the window is not included: `expiresAt` covers it. */
export function dueAt(swap: Swap, context: Context): Date | null {
  const free = freeDeposits(swap)
  if (free.length === 0) return null
  if (swap.status === 'expired') return context.now
  if (swap.status !== 'user_transfer_pending')
    return free.some((each) => refundAddressFor(swap, each)) ? context.now : null
  const units = sumOf(free)
  if (isFullyFunded(swap, units, 0n)) return context.now
  return isAlmostFunded(swap, units) ? toppedUpAt(free, context) : null
}

/**
 * When the waiting time for the rest of the amount is over. Each deposit restarts it, except dust: a third party could
 * delay the swap forever with it.
 */
function toppedUpAt(parts: Deposit[], context: Context): Date {
  const worthwhile = parts.filter((deposit) => isWorthwhile(deposit, context))
  const counted = worthwhile.length > 0 ? worthwhile : parts
  const last = Math.max(...counted.map(({ confirmedAt, seenAt }) => (confirmedAt ?? seenAt).getTime()))
  return new Date(last + context.topUpMs)
}

function isWorthwhile(deposit: Deposit, { refundFeeUnits }: Context): boolean {
  return unspent(deposit) > (refundFeeUnits ?? 0n)
}
