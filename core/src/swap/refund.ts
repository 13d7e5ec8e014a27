/**
 * Giving money back: to whom, how much, and when it has to wait for a person. Part of `advance`, which calls it on the
 * copy of the swap that it is working on.
 */
import type { Address } from '../money/address.ts'
import { Bug } from '../money/errors.ts'
import { roundToTransferable } from '../money/money.ts'
import { depositArrived, depositLost, refundPromised, remainderKept, reversed } from './ledger.ts'
import type { Payout, PayoutKind } from './payout.ts'
import type { Context, Deposit, FailReason, Step, Swap } from './swap.ts'

/**
 * An address at which the chain refused a refund so often is not tried again by itself: the money is held until another one
 * is given, or the same once more. A node that was down, a pause or a give-up says nothing about the address, however often.
 */
const MAX_REFUSALS = 3

/** Confirmed deposits with money in them that is neither delivered nor given back. */
export function freeDeposits(swap: Swap): Deposit[] {
  return swap.deposits.filter((deposit) => deposit.state === 'confirmed' && unspent(deposit) > 0n)
}

export function spent(deposit: Deposit): bigint {
  return deposit.outputUnits + deposit.refundUnits
}

export function unspent(deposit: Deposit): bigint {
  return deposit.units - spent(deposit)
}

/** What they hold together. */
export function sumOf(deposits: readonly Deposit[]): bigint {
  return deposits.reduce((total, deposit) => total + unspent(deposit), 0n)
}

/** The payout of this kind, for refunds that of this deposit, that was not struck out. */
export function activePayout(swap: Swap, kind: PayoutKind, depositId: string | null = null): Payout | undefined {
  return swap.payouts.find(
    (payout) => payout.kind === kind && payout.depositId === depositId && payout.state !== 'abandoned',
  )
}

/** Sends every unspent deposit back. Where nothing can go out by itself, the money is held and owed. */
export function refundAll(step: Step, context: Context, reason: FailReason | null): void {
  const { swap } = step
  swap.failReason = reason
  // The largest first: once a real refund is under way, dust beside it is no reason to hold the swap.
  const free = freeDeposits(swap).sort((a, b) => Number(unspent(b) > unspent(a)) - Number(unspent(b) < unspent(a)))
  for (const deposit of free) refundDeposit(step, deposit, 'refund', context)
  deriveStatus(swap)
}

/**
 * The amount was outside the limits: the swap is over, and its money is sent back. Where some of it cannot go out by itself
 * it is owed, and the swap says so, with its reason.
 */
export function fail(step: Step, context: Context, reason: FailReason): void {
  const { swap } = step
  swap.status = 'failed'
  swap.failReason = reason
  for (const deposit of freeDeposits(swap)) refundDeposit(step, deposit, 'refund', context)
  if (freeDeposits(swap).length > 0) deriveStatus(swap)
}

/** Where a swap stands that has no output (any more), read off what became of its money. */
export function deriveStatus(swap: Swap): void {
  const sentBack = swap.payouts.filter(
    ({ kind, state }) => (kind === 'refund' || kind === 'return') && state !== 'abandoned',
  )
  if (swap.status === 'ls_transfer_pending' && swap.failReason === null && !activePayout(swap, 'refuel')) {
    swap.status = 'user_transfer_pending'
  } else if (sentBack.some(({ state }) => state === 'open')) {
    swap.status = 'refund_pending'
  } else if (freeDeposits(swap).length > 0) {
    swap.status = 'pending_refund'
  } else if (sentBack.some(({ kind }) => kind === 'refund')) {
    swap.status = 'refunded'
  } else if (activePayout(swap, 'refuel')) {
    swap.status = 'failed'
    swap.failReason = 'deposit_lost'
  } else {
    swap.status = 'user_transfer_pending'
    swap.failReason = null
  }
}

/**
 * Orders one deposit's unspent part to be sent back, less the gas. Without a safe address or a known fee it stays where it
 * is. What does not cover its gas is kept in the books, except where a refund is all the swap can still do: that is held.
 */
export function refundDeposit(step: Step, deposit: Deposit, wanted: 'refund' | 'return', context: Context): void {
  const { swap } = step
  const fee = context.refundFeeUnits
  if (fee === null) return
  if (unspent(deposit) <= fee || roundToTransferable(unspent(deposit) - fee, swap.source) === 0n) {
    const isAllThereIs = wanted === 'refund' && swap.status !== 'failed' && !hasRefund(swap)
    if (!isAllThereIs) keep(step, deposit)
    return
  }
  // Another part of it that has not been started yet goes out together with this one.
  const waiting = swap.payouts.find(
    ({ depositId, state, started }) => depositId === deposit.id && state === 'open' && !started,
  )
  const to = waiting && isOpen(swap, deposit, waiting.to) ? waiting.to : refundAddressFor(swap, deposit)
  if (!to || waiting?.rejected) return
  if (waiting) takeRefundBack(step, deposit, waiting)
  const kind = freeKind(swap, deposit, wanted)
  if (!kind) return
  const gross = unspent(deposit)
  deposit.refundUnits += gross
  // What the chain cannot write stays with the fee.
  const units = roundToTransferable(gross - fee, swap.source)
  order(swap, { kind, depositId: deposit.id, token: swap.source, units, feeUnits: gross - units, to })
  step.postings.push(refundPromised(swap.id, swap.source, gross, units))
}

/** Too little to be sent back: the house keeps it, and the books say so. */
function keep(step: Step, deposit: Deposit): void {
  const units = unspent(deposit)
  deposit.refundUnits += units
  step.postings.push(remainderKept(step.swap.id, step.swap.source, units))
}

/** Undoes a refund or return that will not be sent. */
export function takeRefundBack(step: Step, deposit: Deposit, payout: Payout): void {
  const { swap } = step
  const gross = payout.units + payout.feeUnits
  payout.state = 'abandoned'
  step.postings.push(reversed(refundPromised(swap.id, swap.source, gross, payout.units), 'refund taken back'))
  deposit.refundUnits -= gross
  reverseLoss(step, deposit, gross)
}

/** Less was spent of a lost deposit than the loss entry says: nobody is owed that part, and it is no loss either. */
export function reverseLoss(step: Step, deposit: Deposit, units: bigint): void {
  if (deposit.state !== 'lost' || units === 0n) return
  const { id, source } = step.swap
  step.postings.push(
    reversed(depositLost(deposit.to, source, units), 'loss averted'),
    reversed(depositArrived(id, deposit.to, source, units), 'deposit gone'),
  )
  if (spent(deposit) === 0n) deposit.state = 'gone'
}

/**
 * Puts a payout on the swap. There is at most one of a kind that stands, for refunds one a deposit; of returns one that is not
 * made yet.
 */
export function order(swap: Swap, payout: Omit<Payout, 'state' | 'started' | 'refused' | 'lifted'>): void {
  const { kind, depositId } = payout
  if (kind === 'return' ? isGoingBack(swap, depositId) : activePayout(swap, kind, depositId)) {
    throw new Bug('a payout was ordered twice', { swap: swap.id, kind: payout.kind })
  }
  swap.payouts.push({ ...payout, state: 'open', started: false, refused: false, lifted: false })
}

/**
 * Where a deposit may be sent back to: where was said for it, else where the swap was made to send its money. A sender is
 * trusted only where it signed the deposit itself: money that came to a deposit address may be an exchange's, and would be
 * lost there.
 */
function refundTarget(swap: Swap, deposit: Deposit): Address | null {
  if (deposit.refundAddress) return deposit.refundAddress
  if (swap.refundAddress) return swap.refundAddress
  if (!swap.usesDepositAddress) return deposit.from
  return deposit.from !== null && deposit.from === swap.sourceAddress ? deposit.from : null
}

/** The address that a deposit may be sent back to now; null where there is none, or where the chain or a person refused it. */
export function refundAddressFor(swap: Swap, deposit: Deposit): Address | null {
  const to = refundTarget(swap, deposit)
  return to !== null && isOpen(swap, deposit, to) ? to : null
}

/**
 * The address of a deposit was named anew: what the chain said against it before counts no longer, it may have been the token
 * that was paused. A person's no is lifted by a person only: what a sender has signed may be older than it, and be shown again.
 */
export function clearRefusals(swap: Swap, deposit: Deposit, byOperator: boolean): void {
  for (const payout of swap.payouts) {
    const { depositId, to, state, refused, rejected } = payout
    if (depositId !== deposit.id || to !== deposit.refundAddress || state !== 'abandoned') continue
    if (rejected ? byOperator : refused) payout.lifted = true
  }
}

/**
 * Neither the chain nor a person has said no to sending it there: what was refused waits for a word. A no to what was made all
 * the same came too late, and says nothing.
 */
function isOpen(swap: Swap, deposit: Deposit, to: Address): boolean {
  const there = swap.payouts.filter(
    (payout) => payout.depositId === deposit.id && payout.to === to && payout.state !== 'confirmed' && !payout.lifted,
  )
  return there.filter(({ refused }) => refused).length < MAX_REFUSALS && !there.some(({ rejected }) => rejected)
}

/**
 * A deposit of which a part went back already needs the other kind; but a refund never stands beside an output, nor while
 * the swap waits for one. A further part is a return as well, once the one before it has gone: a refuel may fail, or a deposit
 * land again with more, after both ways were taken.
 */
function freeKind(swap: Swap, deposit: Deposit, wanted: 'refund' | 'return'): 'refund' | 'return' | null {
  if (!activePayout(swap, wanted, deposit.id)) return wanted
  const other = wanted === 'refund' ? 'return' : 'refund'
  if (!activePayout(swap, other, deposit.id) && !(other === 'refund' && mayDeliver(swap))) return other
  return isGoingBack(swap, deposit.id) ? null : 'return'
}

/** A return of it is ordered and not made. */
function isGoingBack({ payouts }: Swap, deposit: string | null): boolean {
  return payouts.some(({ kind, depositId, state }) => kind === 'return' && depositId === deposit && state === 'open')
}

function mayDeliver(swap: Swap): boolean {
  return swap.status === 'user_transfer_pending' || activePayout(swap, 'output') !== undefined
}

export function hasRefund(swap: Swap): boolean {
  return swap.payouts.some(({ kind, state }) => kind === 'refund' && state !== 'abandoned')
}
