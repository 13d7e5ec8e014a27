/**
 * Giving money back: to whom, how much, and when it has to wait for a person. Part of `advance`, which calls it on the
 * copy of the swap that it is working on.
 */
import type { Address } from './chain.ts'
import { Bug } from './errors.ts'
import { refundPromised, remainderKept } from './ledger.ts'
import type { Payout } from './payout.ts'
import type { Context, Deposit, FailReason, Step, Swap } from './swap.ts'

/** Confirmed deposits with money in them that is neither delivered nor given back. */
export function freeDeposits(swap: Swap): Deposit[] {
  return swap.deposits.filter((deposit) => deposit.state === 'confirmed' && unspent(deposit) > 0n)
}

export function unspent(deposit: Deposit): bigint {
  return deposit.units - deposit.outputUnits - deposit.refundUnits
}

export function openRefunds(swap: Swap): number {
  return swap.payouts.filter(({ kind, state }) => kind === 'refund' && state === 'open').length
}

/** Sends every unspent deposit back. Where nothing can go out by itself, the money is held and owed. */
export function refundAll(step: Step, context: Context, reason: FailReason | null): void {
  const { swap } = step
  swap.failReason = reason
  for (const deposit of freeDeposits(swap)) giveBack(step, deposit, 'refund', context)
  swap.status = openRefunds(swap) > 0 ? 'refund_pending' : 'pending_refund'
}

/** The amount was outside the limits: the swap is over, and its money is sent back where it can be. */
export function fail(step: Step, context: Context, reason: FailReason): void {
  step.swap.status = 'failed'
  step.swap.failReason = reason
  for (const deposit of freeDeposits(step.swap)) giveBack(step, deposit, 'refund', context)
}

/**
 * Orders one deposit's unspent part to be sent back, less the gas. Without a safe address or a known fee it stays where it
 * is. What does not cover its gas is kept in the books, except where a refund is all the swap can still do: that is held.
 */
export function giveBack(step: Step, deposit: Deposit, kind: 'refund' | 'return', context: Context): void {
  const { swap } = step
  const to = refundTarget(swap, deposit)
  const fee = context.refundFeeUnits
  if (!to || fee === null) return
  const gross = unspent(deposit)
  if (gross <= fee) {
    if (kind === 'refund' && swap.status !== 'failed') return
    deposit.refundUnits += gross
    step.postings.push(remainderKept(swap.id, swap.source, gross))
    return
  }
  deposit.refundUnits += gross
  order(swap, { kind, depositId: deposit.id, token: swap.source, units: gross - fee, to })
  step.postings.push(refundPromised(swap.id, swap.source, gross, gross - fee))
}

/**
 * Where a deposit may be sent back to. A sender is trusted only where it signed the deposit itself: money that came to a
 * deposit address may be an exchange's, and would be lost there.
 */
function refundTarget(swap: Swap, deposit: Deposit): Address | null {
  if (swap.refundAddress) return swap.refundAddress
  if (!swap.usesDepositAddress) return deposit.from
  return deposit.from !== null && deposit.from === swap.sourceAddress ? deposit.from : null
}

/** Puts a payout on the swap. There is at most one of a kind that stands, for refunds one a deposit. */
export function order(swap: Swap, payout: Omit<Payout, 'state' | 'started'>): void {
  const standing = swap.payouts.find(
    (other) => other.kind === payout.kind && other.depositId === payout.depositId && other.state !== 'abandoned',
  )
  if (standing) throw new Bug('a payout was ordered twice', { swap: swap.id, kind: payout.kind })
  swap.payouts.push({ ...payout, state: 'open', started: false })
}
