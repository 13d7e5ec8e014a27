/**
 * The swap state machine. `advance` is the only function that decides a swap's state. It takes the swap, one event and
 * today's prices. It returns the new swap with the payouts it orders and their postings. Events may come twice and in
 * any order; an obsolete event changes nothing.
 */

import { depositArrived, payoutConfirmed, reversed } from './ledger.ts'
import { findDeposit, loseDeposit } from './loss.ts'
import type { Payout } from './payout.ts'
import { attachRecorded } from './recorded/attach.ts'
import {
  activePayout,
  clearRefusals,
  deriveStatus,
  freeDeposits,
  proceedsOf,
  refundAll,
  refundDeposit,
  takeRefundBack,
} from './refund.ts'
import { abandonSale, confirmSale, correctProceeds, undoSale } from './sale.ts'
import { settle, takeOutputBack, takeRefuelBack } from './settle.ts'
import { type Context, type Deposit, isClosed, type PaidBy, type Step, type Swap, type SwapEvent } from './swap.ts'
import { dueAt } from './waiting.ts'

type AddressGiven = Extract<SwapEvent, { type: 'refund_address_given' }>

/**
 * ```
 *                      ┌──────────── window passed, no deposit ────────► expired
 *  user_transfer_pending                                                    │ late deposit
 *     │      │   │ deposit confirmed, amount covered  ◄─────────────────────┘
 *     │      │   └──► ls_transfer_pending ── output confirmed ──► completed
 *     │      │                │ cannot be paid
 *     │      └── cannot be priced or delivered ──► refund_pending ── refund confirmed ──► refunded
 *     │                                               ▲  │ no safe address, or below the gas
 *     │                           an address is given └──┴─► pending_refund
 *     └── outside the limits ──► failed (and its deposits are refunded; pending_refund if they cannot be)
 * ```
 * A reorg that removes the deposit before anything was sent leads back to `user_transfer_pending`. If the quote has a
 * sale, `ls_transfer_pending` begins with it: the output is ordered when the sale is confirmed.
 */
export function advance(before: Swap, event: SwapEvent, context: Context): Step {
  const step: Step = { swap: clone(before), postings: [], alerts: [], oldPrice: null, dueAt: null }
  const { swap } = step
  switch (event.type) {
    case 'deposit_seen':
      seeDeposit(swap, event.deposit)
      break
    case 'deposit_confirmed':
      confirmDeposit(step, event, context)
      break
    case 'deposit_gone':
      loseDeposit(step, event.depositId)
      break
    case 'payout_confirmed':
      confirmPayout(step, event, context)
      break
    case 'payout_undone':
      undoPayout(step, event)
      break
    case 'payout_abandoned':
      abandonPayout(step, event, context)
      break
    case 'proceeds_corrected':
      correctProceeds(step, event, context)
      closeIfDone(swap)
      break
    case 'payout_recorded':
      if (attachRecorded(step, event.recorded, context)) closeIfDone(swap)
      break
    case 'tick':
      reconsider(step, context)
      break
    case 'refund_address_given':
      giveAddress(step, event, context)
      break
  }
  const heldBefore = heldDeposits(before)
  if (heldDeposits(swap).some((id) => !heldBefore.includes(id))) step.alerts.push('a deposit is held and owed')
  if (!isClosed(swap.status)) swap.closedAt = null
  else if (swap.status !== before.status) swap.closedAt = context.now
  step.dueAt = dueAt(swap, context)
  return step
}

function seeDeposit(swap: Swap, seen: Deposit): void {
  const known = swap.deposits.findIndex(({ id }) => id === seen.id)
  const unused = { outputUnits: 0n, refundUnits: 0n, refundAddress: null }
  const fresh: Deposit = { ...seen, confirmedAt: null, state: 'seen', ...unused }
  if (known < 0) swap.deposits.push(fresh)
  // Re-mined after a reorg: `seenAt` starts over, so that a waiting transaction cannot hold a quote open.
  else if (swap.deposits[known]?.state === 'gone') swap.deposits[known] = fresh
}

function confirmDeposit(
  step: Step,
  { depositId, units, recorded = [] }: Extract<SwapEvent, { type: 'deposit_confirmed' }>,
  context: Context,
): void {
  const { swap } = step
  const deposit = swap.deposits.find(({ id }) => id === depositId)
  if (!deposit || deposit.state === 'confirmed') return
  if (deposit.state === 'lost') {
    if (!findDeposit(step, deposit, units)) return
  } else {
    deposit.state = 'confirmed'
    deposit.units = units
    // A refund address that was set before a reorg is void: the deposit may have another sender now.
    deposit.refundAddress = null
    step.postings.push(depositArrived(swap.id, deposit.to, swap.source, units))
  }
  deposit.confirmedAt = context.now
  if (recorded.length > 0) {
    // If the recorded payouts do not fit the swap, an operator decides, and no other payout is ordered.
    if (!attachRecorded(step, recorded, context)) return
    closeIfDone(swap)
  }
  if (isWaiting(swap)) settle(step, context)
  else if (swap.status === 'pending_refund' && proceedsOf(swap)) {
    // A sold deposit that was mined again holds the proceeds of all sold deposits: they are refunded with it.
    refundAll(step, context, swap.failReason)
  } else if (freeDeposits(swap).includes(deposit)) refundDeposit(step, deposit, 'return', context)
}

function confirmPayout(step: Step, event: Extract<SwapEvent, { type: 'payout_confirmed' }>, context: Context): void {
  const { swap } = step
  const payout = payoutIn(swap, event, 'open')
  if (!payout) {
    const isKnown = payoutIn(swap, event, 'confirmed')
    if (!isKnown && payoutIn(swap, event, 'abandoned')) step.alerts.push('a payout was sent that was struck out')
    return
  }
  if (payout.kind === 'sale') {
    confirmSale(step, payout, event.from, event.receivedUnits, event.recorded ?? [], context)
    closeIfDone(swap)
    return
  }
  payout.state = 'confirmed'
  if (payout.leg && event.receivedUnits !== undefined) payout.receivedUnits = event.receivedUnits
  step.postings.push(payoutConfirmed(swap.id, event.from, payout.token, payout.units))
  closeIfDone(swap)
}

function undoPayout(step: Step, event: Extract<SwapEvent, { type: 'payout_undone' }>): void {
  const { swap } = step
  const payout = payoutIn(swap, event, 'confirmed')
  if (!payout) return
  step.alerts.push(`a ${payout.kind} that had counted was not made`)
  if (payout.kind === 'sale') {
    undoSale(step, payout, event.from)
    return
  }
  // The payout stays `started`: it was confirmed once, so only an operator may void it or pay it again.
  payout.state = 'open'
  delete payout.receivedUnits
  step.postings.push(reversed(payoutConfirmed(swap.id, event.from, payout.token, payout.units), 'payout undone'))
  if (swap.status === 'completed' && payout.depositId === null) swap.status = 'ls_transfer_pending'
  else if (swap.status === 'refunded') swap.status = 'refund_pending'
}

function abandonPayout(step: Step, event: Extract<SwapEvent, { type: 'payout_abandoned' }>, context: Context): void {
  const { swap } = step
  const payout = payoutIn(swap, event, 'open')
  if (!payout) return
  payout.state = 'abandoned'
  payout.refused = event.refused === true
  if (event.rejected) payout.rejected = true
  step.alerts.push(`a ${payout.kind} could not be paid`)
  const deposit = swap.deposits.find(({ id }) => id === payout.depositId)
  if (deposit) {
    takeRefundBack(step, deposit, payout)
    closeIfDone(swap)
  } else if (payout.kind === 'sale') {
    abandonSale(step, payout, context)
  } else if (payout.kind === 'output') {
    takeOutputBack(step)
    refundAll(step, context, 'payout_rejected')
  } else if (payout.kind === 'refuel') {
    takeRefuelBack(step)
    closeIfDone(swap)
    reconsider(step, context)
  }
}

function closeIfDone(swap: Swap): void {
  if (swap.status === 'ls_transfer_pending') {
    const open = swap.payouts.some(({ kind, state }) => (kind === 'output' || kind === 'refuel') && state === 'open')
    if (activePayout(swap, 'output')?.state === 'confirmed' && !open) swap.status = 'completed'
  } else if (swap.status === 'refund_pending') {
    deriveStatus(swap)
  }
}

/**
 * Sets a refund address. Applies only to those of the named deposits that are owed: the caller may not redirect other
 * money of the swap.
 */
function giveAddress(step: Step, { address, depositIds, by, feeUnits }: AddressGiven, context: Context): void {
  const held = heldDeposits(step.swap)
  const meant = step.swap.deposits.filter(({ id }) => held.includes(id) && depositIds.includes(id))
  if (meant.length === 0) return
  for (const deposit of meant) {
    deposit.refundAddress = address
    clearRefusals(step.swap, deposit, by === 'operator')
  }
  const isStated = by === 'operator' && feeUnits !== undefined
  reconsider(step, isStated ? { ...context, refundFeeUnits: feeUnits } : context)
}

/** Runs on a tick or a new refund address: closes the window and retries decisions that could not be made before. */
function reconsider(step: Step, context: Context): void {
  const { swap } = step
  const free = freeDeposits(swap)
  if (isWaiting(swap)) {
    settle(step, context)
  } else if (swap.status === 'pending_refund' || swap.status === 'refund_pending') {
    if (free.length > 0) refundAll(step, context, swap.failReason)
  } else {
    for (const deposit of free) refundDeposit(step, deposit, swap.status === 'failed' ? 'refund' : 'return', context)
  }
}

/** Confirmed deposits that the swap no longer waits for and that no payout covers: they are owed. */
export function heldDeposits(swap: Swap): string[] {
  return swap.status === 'user_transfer_pending' ? [] : freeDeposits(swap).map(({ id }) => id)
}

function isWaiting(swap: Swap): boolean {
  return swap.status === 'user_transfer_pending' || swap.status === 'expired'
}

function payoutIn(swap: Swap, { kind, depositId, number }: PaidBy, state: Payout['state']): Payout | undefined {
  return swap.payouts.find(
    (payout, place) =>
      payout.kind === kind &&
      payout.depositId === depositId &&
      payout.state === state &&
      (number === undefined || number === place),
  )
}

function clone(swap: Swap): Swap {
  return {
    ...swap,
    deposits: swap.deposits.map((deposit) => ({ ...deposit })),
    payouts: swap.payouts.map((payout) => ({ ...payout })),
  }
}
