/**
 * When the money that came is the swap's amount. People and exchanges send what they send: a sum that reaches the request is
 * swapped at once, one that nearly does waits a while for the rest, a smaller one waits for the end of the window. Part of
 * `advance`.
 */
import { freeDeposits, refundAddressFor, sumOf, unspent } from './refund.ts'
import type { Context, Deposit, Swap } from './swap.ts'

/** From so many hundredths of the request on, what came is meant as the amount: an exchange took its fee off. */
const TOP_UP_SHARE = 90n
/** How long the rest of such a sum is waited for, where the network's file says nothing else. */
export const TOP_UP_MS = 120_000
/** A wallet that reckons in floats may drop the last unit of a fixed amount; the quote shrinks with it. */
const ROUNDING_UNITS = 1n

/** Nothing is missing. An open amount is whatever is worth a swap. */
export function isFullyFunded({ requestedUnits }: Swap, units: bigint, minUnits: bigint): boolean {
  return units >= (requestedUnits === null ? minUnits : requestedUnits - ROUNDING_UNITS)
}

/** So much of the request that the rest is no longer waited for until the window's end. */
export function isAlmostFunded({ requestedUnits }: Swap, units: bigint): boolean {
  return requestedUnits !== null && units * 100n >= requestedUnits * TOP_UP_SHARE
}

/** Whether these parts are swapped now, before the window's end. */
export function isReadyToSettle(swap: Swap, parts: Deposit[], isWhole: boolean, context: Context): boolean {
  const isOver = context.now >= toppedUpAt(parts, context)
  const isMoreComing = swap.deposits.some((deposit) => deposit.state === 'seen' && isWorthwhile(deposit, context))
  // What a stranger leaves unconfirmed under the public number must not hold up for long what is paid in full.
  if (isWhole) return isOver || !isMoreComing
  return isOver && !isMoreComing && isAlmostFunded(swap, sumOf(parts))
}

/** How long today's price is asked for again where it gives less than was agreed to, before the money goes back. */
const ASKED_AGAIN_MS = 30 * 60_000

/** Whether the price has been asked for long enough. */
export function isPriceWaitOver({ repriceSince }: Swap, { now }: Context): boolean {
  return repriceSince !== null && now.getTime() >= repriceSince.getTime() + ASKED_AGAIN_MS
}

/** When time may decide something. The end of the window is known by itself. */
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

/** The last part begins the time anew, but not dust: a stranger could hold the swap up with it for ever. */
function toppedUpAt(parts: Deposit[], context: Context): Date {
  const worthwhile = parts.filter((deposit) => isWorthwhile(deposit, context))
  const counted = worthwhile.length > 0 ? worthwhile : parts
  const last = Math.max(...counted.map(({ confirmedAt, seenAt }) => (confirmedAt ?? seenAt).getTime()))
  return new Date(last + context.topUpMs)
}

function isWorthwhile(deposit: Deposit, { refundFeeUnits }: Context): boolean {
  return unspent(deposit) > (refundFeeUnits ?? 0n)
}
