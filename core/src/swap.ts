/**
 * What a swap is and how it moves. `advance` is the only function that decides a swap's state: it takes the swap, one
 * event and today's prices, and returns the swap as it is then, with the payouts it orders and the postings that go
 * with them. Any event may come twice and in any order; an event that means nothing any more changes nothing.
 */
import type { Address } from './chain.ts'
import { depositArrived, depositLost, type Posting, payoutConfirmed, refundPromised, reversed } from './ledger.ts'
import type { Token } from './network.ts'
import type { Payout, PayoutKind } from './payout.ts'
import type { Pricing, Quote } from './quote.ts'
import { freeDeposits, giveBack, openRefunds, refundAll } from './refund.ts'
import { promises, releaseOutput, settle } from './settle.ts'

export const STATUSES = [
  'user_transfer_pending',
  'ls_transfer_pending',
  'refund_pending',
  'pending_refund',
  'completed',
  'failed',
  'expired',
  'refunded',
] as const
export type Status = (typeof STATUSES)[number]

export type FailReason =
  | 'received_less_than_valid_range'
  | 'received_more_than_valid_range'
  | 'swap_route_unavailable'
  | 'degraded_quote'
  | 'insufficient_liquidity'
  | 'payout_rejected'

export interface Deposit {
  id: string
  units: bigint
  from: Address | null
  /** Which of our addresses it stands on. */
  to: Address
  seenAt: Date
  /** `gone` after a reorg; `lost` where it had been spent for the swap by then. */
  state: 'seen' | 'confirmed' | 'gone' | 'lost'
  /** What of it was used for the output, and what of it was given back or kept. Together never more than `units`. */
  outputUnits: bigint
  refundUnits: bigint
}

export interface Swap {
  id: string
  source: Token
  destination: Token
  /** The destination network's native token where a refuel was asked for. */
  refuel: Token | null
  status: Status
  failReason: FailReason | null
  destinationAddress: Address
  sourceAddress: Address | null
  refundAddress: Address | null
  usesDepositAddress: boolean
  /** Null where whatever arrives inside the limits is swapped. */
  requestedUnits: bigint | null
  slippage: bigint
  /** The quote the swap was made with, or the one it was re-priced at. */
  quote: Quote | null
  quoteExpiresAt: Date
  /** No deposit until then: expired. */
  expiresAt: Date
  closedAt: Date | null
  deposits: Deposit[]
  payouts: Payout[]
}

export type SwapEvent =
  | { type: 'deposit_seen'; deposit: Deposit }
  | { type: 'deposit_confirmed'; depositId: string; units: bigint }
  | { type: 'deposit_gone'; depositId: string }
  | { type: 'payout_confirmed'; kind: PayoutKind; depositId: string | null; from: Address }
  /** Proven that nothing was and will be sent for it. */
  | { type: 'payout_abandoned'; kind: PayoutKind; depositId: string | null }
  /** Time has passed: windows close, and what could not be decided before is tried again. */
  | { type: 'tick' }
  | { type: 'refund_address_given'; address: Address }

export interface Context {
  now: Date
  /** Null where the route cannot be priced now: a network is down, a price is stale, the route was closed. */
  pricing: Pricing | null
  /** What sending the source token back costs, in that token; null where that is not known now. */
  refundFeeUnits: bigint | null
}

export interface Step {
  swap: Swap
  postings: Posting[]
  /** What a person must know. */
  alerts: string[]
}

/**
 * ```
 *                      ┌──────────── window passed, nothing came ──────► expired
 *  user_transfer_pending                                                    │ late deposit
 *     │      │   │ deposit confirmed, amount covered  ◄─────────────────────┘
 *     │      │   └──► ls_transfer_pending ── output confirmed ──► completed
 *     │      │                │ cannot be paid
 *     │      └── cannot be priced or delivered ──► refund_pending ── refund confirmed ──► refunded
 *     │                                               ▲  │ no safe address, or below the gas
 *     │                           an address is given └──┴─► pending_refund
 *     └── outside the limits ──► failed (and its money is sent back)
 * ```
 * A reorg that removes the deposit before anything was sent leads back to `user_transfer_pending`.
 */
export function advance(before: Swap, event: SwapEvent, context: Context): Step {
  const step: Step = { swap: clone(before), postings: [], alerts: [] }
  const { swap } = step
  switch (event.type) {
    case 'deposit_seen':
      seeDeposit(swap, event.deposit)
      break
    case 'deposit_confirmed':
      confirmDeposit(step, event.depositId, event.units, context)
      break
    case 'deposit_gone':
      loseDeposit(step, event.depositId)
      break
    case 'payout_confirmed':
      confirmPayout(step, event)
      break
    case 'payout_abandoned':
      abandonPayout(step, event, context)
      break
    case 'tick':
      reconsider(step, context)
      break
    case 'refund_address_given':
      swap.refundAddress = event.address
      reconsider(step, context)
      break
  }
  if (!isClosed(swap.status)) swap.closedAt = null
  else if (!isClosed(before.status)) swap.closedAt = context.now
  return step
}

export function isClosed(status: Status): boolean {
  return status === 'completed' || status === 'failed' || status === 'expired' || status === 'refunded'
}

function seeDeposit(swap: Swap, seen: Deposit): void {
  const known = swap.deposits.find(({ id }) => id === seen.id)
  if (!known) swap.deposits.push({ ...seen })
  else if (known.state === 'gone') known.state = 'seen'
}

function confirmDeposit(step: Step, depositId: string, units: bigint, context: Context): void {
  const { swap } = step
  const deposit = swap.deposits.find(({ id }) => id === depositId)
  if (!deposit || deposit.state === 'confirmed') return
  const wasLost = deposit.state === 'lost'
  deposit.state = 'confirmed'
  if (wasLost) {
    step.postings.push(reversed(depositLost(deposit.to, swap.source, deposit.units), 'lost deposit found'))
    return
  }
  deposit.units = units
  step.postings.push(depositArrived(swap.id, deposit.to, swap.source, units))
  if (isWaiting(swap)) settle(step, context)
  else giveBack(step, deposit, 'return', context)
  if (freeDeposits(swap).includes(deposit) && !isWaiting(swap)) step.alerts.push('a deposit is held and owed')
}

function loseDeposit(step: Step, depositId: string): void {
  const { swap } = step
  const deposit = swap.deposits.find(({ id }) => id === depositId)
  if (!deposit || deposit.state === 'gone' || deposit.state === 'lost') return
  const wasConfirmed = deposit.state === 'confirmed'
  if (deposit.outputUnits + deposit.refundUnits > 0n && !takeBack(step, deposit)) {
    deposit.state = 'lost'
    step.postings.push(depositLost(deposit.to, swap.source, deposit.units))
    step.alerts.push('a deposit vanished after its money was spent')
    return
  }
  deposit.state = 'gone'
  if (wasConfirmed) {
    step.postings.push(reversed(depositArrived(swap.id, deposit.to, swap.source, deposit.units), 'deposit gone'))
  }
}

/** Strikes out the orders that spend this deposit, if none of them was started. False where one was. */
function takeBack(step: Step, deposit: Deposit): boolean {
  const { swap } = step
  const standing = swap.payouts.filter(({ state }) => state !== 'abandoned')
  const delivering =
    deposit.outputUnits > 0n ? standing.filter(({ kind }) => kind === 'output' || kind === 'refuel') : []
  const returning = standing.filter(({ depositId }) => depositId === deposit.id)
  const returned = returning.reduce((sum, { units }) => sum + units, 0n)
  // A remainder that was kept has no order; it cannot be told apart once struck out, so such a deposit counts as spent.
  if (deposit.refundUnits > 0n && returned === 0n) return false
  if ([...delivering, ...returning].some(({ started, state }) => started || state === 'confirmed')) return false
  for (const order of delivering) order.state = 'abandoned'
  if (delivering.length > 0 && swap.quote) {
    step.postings.push(
      ...promises(swap, swap.quote).map((posting) => reversed(posting, `${posting.reason}, taken back`)),
    )
    releaseOutput(swap, 0n)
    swap.status = 'user_transfer_pending'
  }
  for (const order of returning) {
    order.state = 'abandoned'
    takeRefundBack(step, deposit, order)
    if (order.kind === 'refund' && openRefunds(swap) === 0) swap.status = 'user_transfer_pending'
  }
  return true
}

function takeRefundBack(step: Step, deposit: Deposit, order: Payout): void {
  const { swap } = step
  step.postings.push(
    reversed(refundPromised(swap.id, swap.source, deposit.refundUnits, order.units), 'refund taken back'),
  )
  deposit.refundUnits = 0n
}

function confirmPayout(step: Step, event: Extract<SwapEvent, { type: 'payout_confirmed' }>): void {
  const payout = openPayout(step.swap, event)
  if (!payout) return
  payout.state = 'confirmed'
  step.postings.push(payoutConfirmed(step.swap.id, event.from, payout.token, payout.units))
  closeIfDone(step.swap)
}

function abandonPayout(step: Step, event: Extract<SwapEvent, { type: 'payout_abandoned' }>, context: Context): void {
  const { swap } = step
  const payout = openPayout(swap, event)
  if (!payout) return
  payout.state = 'abandoned'
  step.alerts.push(`a ${payout.kind} could not be paid`)
  const deposit = swap.deposits.find(({ id }) => id === payout.depositId)
  if (deposit) {
    takeRefundBack(step, deposit, payout)
    closeIfDone(swap)
  } else if (payout.kind === 'output') {
    abandonOutput(step, context)
  } else {
    closeIfDone(swap)
  }
}

/** The swap cannot be delivered: its money goes back, but for the share of a refuel that may be on its way. */
function abandonOutput(step: Step, context: Context): void {
  const { swap } = step
  if (!swap.quote) return
  const refuel = swap.payouts.find(({ kind, state }) => kind === 'refuel' && state !== 'abandoned')
  const keepsRefuel = refuel !== undefined && (refuel.started || refuel.state === 'confirmed')
  if (refuel && !keepsRefuel) refuel.state = 'abandoned'
  const [output, refuelPosting] = promises(swap, swap.quote)
  if (output) step.postings.push(reversed(output, 'output taken back'))
  if (refuelPosting && !keepsRefuel) step.postings.push(reversed(refuelPosting, 'refuel taken back'))
  releaseOutput(swap, keepsRefuel ? swap.quote.refuelInSourceUnits : 0n)
  refundAll(step, context, 'payout_rejected')
}

function closeIfDone(swap: Swap): void {
  if (swap.status === 'ls_transfer_pending') {
    const open = swap.payouts.some(({ kind, state }) => (kind === 'output' || kind === 'refuel') && state === 'open')
    const delivered = swap.payouts.some(({ kind, state }) => kind === 'output' && state === 'confirmed')
    if (delivered && !open) swap.status = 'completed'
  } else if (swap.status === 'refund_pending' && openRefunds(swap) === 0) {
    swap.status = freeDeposits(swap).length > 0 ? 'pending_refund' : 'refunded'
  }
}

/** Time has passed, or an address was given: closes the window and tries again what could not be decided before. */
function reconsider(step: Step, context: Context): void {
  const { swap } = step
  const free = freeDeposits(swap)
  if (swap.status === 'user_transfer_pending') {
    settle(step, context)
  } else if (swap.status === 'pending_refund' && free.length > 0) {
    refundAll(step, context, swap.failReason)
  } else if (swap.status !== 'refund_pending') {
    for (const deposit of free) giveBack(step, deposit, swap.status === 'failed' ? 'refund' : 'return', context)
  }
}

function isWaiting(swap: Swap): boolean {
  return swap.status === 'user_transfer_pending' || swap.status === 'expired'
}

function openPayout(swap: Swap, wanted: { kind: PayoutKind; depositId: string | null }): Payout | undefined {
  return swap.payouts.find((p) => p.kind === wanted.kind && p.depositId === wanted.depositId && p.state === 'open')
}

function clone(swap: Swap): Swap {
  return {
    ...swap,
    deposits: swap.deposits.map((deposit) => ({ ...deposit })),
    payouts: swap.payouts.map((payout) => ({ ...payout })),
  }
}
