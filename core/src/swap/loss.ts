/**
 * Deposits that a reorg removed, and deposits that come back. Payouts that were not started are voided; those in flight
 * become a loss. Part of `advance`.
 */
import { depositArrived, depositLost, remainderKept, reversed } from './ledger.ts'
import {
  activePayout,
  deriveStatus,
  freeDeposits,
  proceedsOf,
  proceedsRefunds,
  spent,
  spentProceeds,
  strikeProceedsRefunds,
  takeRefundBack,
  unspent,
} from './refund.ts'
import { takeOutputBack, takeSaleBack } from './settle.ts'
import type { Deposit, Step } from './swap.ts'

export function loseDeposit(step: Step, depositId: string): void {
  const { swap } = step
  const deposit = swap.deposits.find(({ id }) => id === depositId)
  if (!deposit || deposit.state === 'gone' || deposit.state === 'lost') return
  const wasConfirmed = deposit.state === 'confirmed'
  deposit.state = 'gone'
  if (!wasConfirmed) return
  strikeRefunds(step, deposit)
  const struck = deposit.outputUnits > 0n && strikeOutput(step)
  if (struck && (activePayout(swap, 'refuel') || proceedsOf(swap))) swap.failReason = 'deposit_lost'
  if (unspent(deposit) > 0n) {
    const arrived = depositArrived(swap.id, deposit.to, swap.source, unspent(deposit))
    step.postings.push(reversed(arrived, 'deposit gone'))
  }
  if (spent(deposit) > 0n) {
    deposit.state = 'lost'
    step.postings.push(depositLost(deposit.to, swap.source, spent(deposit)))
    step.alerts.push('a deposit vanished after its money was spent')
  }
  // The next deposit gets a new waiting time for a better price, even if it arrives before the next tick.
  if (freeDeposits(swap).length === 0) swap.repriceSince = null
  if (struck || swap.status === 'refund_pending' || swap.status === 'pending_refund') deriveStatus(swap)
}

/**
 * A lost deposit was mined again: reverses the loss without paying twice. False if it came back with less than was
 * spent.
 */
export function findDeposit(step: Step, deposit: Deposit, units: bigint): boolean {
  const { swap } = step
  if (units < spent(deposit)) {
    step.alerts.push('a lost deposit came back with less than was spent of it')
    return false
  }
  deposit.state = 'confirmed'
  deposit.units = units
  step.postings.push(reversed(depositLost(deposit.to, swap.source, spent(deposit)), 'lost deposit found'))
  const rest = unspent(deposit)
  if (rest > 0n) step.postings.push(depositArrived(swap.id, deposit.to, swap.source, rest))
  return true
}

/** Also reverses a kept remainder. It has no payout: it is the part of `refundUnits` that no payout covers. */
function strikeRefunds(step: Step, deposit: Deposit): void {
  const { swap } = step
  if (deposit.outputUnits > 0n) strikeProceedsRefunds(step)
  const ofProceeds = proceedsRefunds(swap)
  const orders = swap.payouts.filter(
    (payout) => payout.depositId === deposit.id && payout.state !== 'abandoned' && !ofProceeds.includes(payout),
  )
  const kept = orders.reduce((left, { units, feeUnits }) => left - units - feeUnits, deposit.refundUnits)
  if (kept > 0n) {
    deposit.refundUnits -= kept
    step.postings.push(reversed(remainderKept(swap.id, swap.source, kept), 'remainder gone'))
  }
  for (const payout of orders) if (payout.state === 'open' && !payout.started) takeRefundBack(step, deposit, payout)
}

/** Voids the output, or the sale before it, unless it may be in flight. */
function strikeOutput(step: Step): boolean {
  const output = activePayout(step.swap, 'output')
  const sale = activePayout(step.swap, 'sale')
  if (!output && sale?.state === 'open' && !sale.started && spentProceeds(step.swap) === 0n) {
    sale.state = 'abandoned'
    takeSaleBack(step, sale)
    return true
  }
  if (!output || output.started || output.state === 'confirmed') return false
  output.state = 'abandoned'
  takeOutputBack(step)
  return true
}
