/**
 * Refunds: to which address, how much, and when an operator must decide. Part of `advance`, which passes its working
 * copy of the swap.
 */
import type { Address } from '../money/address.ts'
import { Bug } from '../money/errors.ts'
import { type Amount, isSameToken, mulDiv, roundToTransferable } from '../money/money.ts'
import type { Token } from '../money/network.ts'
import { depositArrived, depositLost, refundPromised, remainderKept, reversed } from './ledger.ts'
import type { Payout, PayoutKind } from './payout.ts'
import { takenFor } from './quote.ts'
import type { Context, Deposit, FailReason, Step, Swap } from './swap.ts'

/**
 * After this many refusals by the chain, an address is not retried automatically. The money is owed until a refund
 * address is set, which may be the same one. Outages, pauses and give-ups do not count as refusals.
 */
const MAX_REFUSALS = 3
/** Kept amounts below this fraction of the dust limit are not reported: a third party could flood the alerts for nothing. */
const UNREPORTED_FRACTION = 100n

/** Confirmed deposits with money that is neither delivered nor refunded: unsold, or proceeds of their sale. */
export function freeDeposits(swap: Swap): Deposit[] {
  const holder = owedProceeds(swap) && proceedsHolder(swap)
  return swap.deposits.filter(
    (deposit) => deposit.state === 'confirmed' && (unspent(deposit) > 0n || deposit === holder),
  )
}

export function spent(deposit: Deposit): bigint {
  return deposit.outputUnits + deposit.refundUnits
}

export function unspent(deposit: Deposit): bigint {
  return deposit.units - spent(deposit)
}

/** The unspent sum of these deposits. */
export function sumOf(deposits: readonly Deposit[]): bigint {
  return deposits.reduce((total, deposit) => total + unspent(deposit), 0n)
}

/** The payout of this kind that is not abandoned; for refunds, the one of this deposit. */
export function activePayout(swap: Swap, kind: PayoutKind, depositId: string | null = null): Payout | undefined {
  return swap.payouts.find(
    (payout) => payout.kind === kind && payout.depositId === depositId && payout.state !== 'abandoned',
  )
}

/**
 * The proceeds of the swap's sale; null if it has none. If a sale proved not made after its proceeds were spent, it is
 * abandoned and the deposits stay used: then we cover the proceeds from our own money.
 */
export function proceedsOf(swap: Swap): Amount | null {
  const quoted = swap.quote?.legs?.sale
  const sale = activePayout(swap, 'sale')
  const isCovered = usedUnits(swap.deposits) > 0n && swap.payouts.some((payout) => spendsProceeds(swap, payout))
  if (!quoted || (sale ? sale.state === 'open' : !isCovered)) return null
  return { token: quoted.buys, units: sale ? (sale.receivedUnits ?? 0n) : quoted.outUnits }
}

/** The part of a sale's proceeds that the output, the refuel and refunds use. Also counted while a sale is undone. */
export function spentProceeds(swap: Swap): bigint {
  if (!swap.quote?.legs?.sale) return 0n
  const { quote } = takenFor(swap.quote, swap.source)
  const output = activePayout(swap, 'output') ? quote.requestedUnits - quote.refuelInSourceUnits : 0n
  const refuel = activePayout(swap, 'refuel') ? quote.refuelInSourceUnits : 0n
  return proceedsRefunds(swap).reduce((sum, { units, feeUnits }) => sum + units + feeUnits, output + refuel)
}

/** Active refunds and returns in the hub token of a sale. */
export function proceedsRefunds(swap: Swap): Payout[] {
  return swap.payouts.filter(
    (payout) => payout.depositId !== null && payout.state !== 'abandoned' && spendsProceeds(swap, payout),
  )
}

/** Whether a payout was ordered from the proceeds of a confirmed sale. */
export function spendsProceeds({ source }: Swap, { kind, depositId, token }: Payout): boolean {
  return depositId === null ? kind === 'output' || kind === 'refuel' : !isSameToken(token, source)
}

/** Voids the refunds of proceeds that were not started: the amount of the proceeds, or who owns them, has changed. */
export function strikeProceedsRefunds(step: Step): void {
  const { swap } = step
  for (const payout of proceedsRefunds(swap)) {
    const deposit = swap.deposits.find(({ id }) => id === payout.depositId)
    if (deposit && payout.state === 'open' && !payout.started) takeRefundBack(step, deposit, payout)
  }
}

/** The proceeds that are still owed; null if none are. The share of a lost deposit is not owed. */
export function owedProceeds(swap: Swap): Amount | null {
  const proceeds = proceedsOf(swap)
  if (!proceeds) return null
  const confirmed = swap.deposits.filter(({ state }) => state === 'confirmed')
  const share = mulDiv(proceeds.units, usedUnits(confirmed), usedUnits(swap.deposits), 'down')
  const units = share - spentProceeds(swap)
  return units > 0n ? { token: proceeds.token, units } : null
}

/**
 * The deposit that the proceeds are refunded for: the largest sold one. A swap with a sale has a refund address, which
 * all its deposits share.
 */
function proceedsHolder({ deposits }: Swap): Deposit | undefined {
  const sold = deposits.filter(({ state, outputUnits }) => state === 'confirmed' && outputUnits > 0n)
  return sold.reduce<Deposit | undefined>(
    (largest, deposit) => (largest && largest.outputUnits >= deposit.outputUnits ? largest : deposit),
    undefined,
  )
}

function usedUnits(deposits: readonly Deposit[]): bigint {
  return deposits.reduce((sum, { outputUnits }) => sum + outputUnits, 0n)
}

/** Refunds every unspent deposit. Deposits that cannot be refunded automatically are owed. */
export function refundAll(step: Step, context: Context, reason: FailReason | null): void {
  const { swap } = step
  swap.failReason = reason
  // Largest first: once a real refund is ordered, dust alongside it does not hold the swap.
  const free = freeDeposits(swap).sort((a, b) => Number(unspent(b) > unspent(a)) - Number(unspent(b) < unspent(a)))
  for (const deposit of free) refundDeposit(step, deposit, 'refund', context)
  deriveStatus(swap)
}

/**
 * Ends a swap whose amount was outside the limits, and refunds it. The part that cannot be sent automatically is owed,
 * and the status says so.
 */
export function fail(step: Step, context: Context, reason: FailReason): void {
  const { swap } = step
  swap.status = 'failed'
  swap.failReason = reason
  for (const deposit of freeDeposits(swap)) refundDeposit(step, deposit, 'refund', context)
  if (freeDeposits(swap).length > 0) deriveStatus(swap)
}

/** Derives the status of a swap without an output from its deposits and refunds. */
export function deriveStatus(swap: Swap): void {
  if (activePayout(swap, 'sale')?.state === 'open') {
    // Whether the deposits or their proceeds are refunded is known only when the sale has ended.
    swap.status = 'ls_transfer_pending'
    return
  }
  const isSold = proceedsOf(swap) !== null
  const sentBack = swap.payouts.filter(
    ({ kind, state }) => (kind === 'refund' || kind === 'return') && state !== 'abandoned',
  )
  if (swap.status === 'ls_transfer_pending' && swap.failReason === null && !isSold && !activePayout(swap, 'refuel')) {
    swap.status = 'user_transfer_pending'
  } else if (sentBack.some(({ state }) => state === 'open')) {
    swap.status = 'refund_pending'
  } else if (freeDeposits(swap).length > 0) {
    swap.status = 'pending_refund'
  } else if (sentBack.some(({ kind }) => kind === 'refund')) {
    swap.status = 'refunded'
  } else if (isSold || activePayout(swap, 'refuel')) {
    swap.status = 'failed'
    swap.failReason = 'deposit_lost'
  } else {
    swap.status = 'user_transfer_pending'
    swap.failReason = null
  }
}

/**
 * Orders a refund or return of one deposit's unspent part, less the gas. Without a safe address or a known fee the
 * money stays owed. An amount that does not cover its gas waits for cheaper gas. Only dust is kept as a fee, unless it
 * is the swap's only possible refund: then it is owed, too.
 */
export function refundDeposit(step: Step, deposit: Deposit, wanted: 'refund' | 'return', context: Context): void {
  if (unspent(deposit) > 0n) refundUnsold(step, deposit, wanted, context)
  if (proceedsHolder(step.swap) === deposit) refundProceeds(step, deposit, wanted, context)
}

function refundUnsold(step: Step, deposit: Deposit, wanted: 'refund' | 'return', context: Context): void {
  const { swap } = step
  const fee = context.refundFeeUnits
  if (fee === null) return
  if (unspent(deposit) <= fee || roundToTransferable(unspent(deposit) - fee, swap.source) === 0n) {
    const isAllThereIs = wanted === 'refund' && swap.status !== 'failed' && !hasRefund(swap)
    if (!isAllThereIs && unspent(deposit) <= context.dustUnits) keep(step, deposit, context)
    return
  }
  const place = placeFor(step, deposit, wanted, swap.source)
  if (!place) return
  const gross = unspent(deposit)
  deposit.refundUnits += gross
  orderRefund(step, { ...place, depositId: deposit.id }, { token: swap.source, units: gross }, fee)
}

/** Orders a refund or return of the proceeds that are owed. They wait while they do not cover their gas. */
function refundProceeds(step: Step, deposit: Deposit, wanted: 'refund' | 'return', context: Context): void {
  const { swap } = step
  const fee = context.proceedsFeeUnits ?? null
  const owed = owedProceeds(swap)
  if (!owed || fee === null || owed.units <= fee || roundToTransferable(owed.units - fee, owed.token) === 0n) return
  const place = placeFor(step, deposit, wanted, owed.token)
  // A payout that was not started may have been merged: then more is owed than before.
  const gross = place && owedProceeds(swap)
  if (gross) orderRefund(step, { ...place, depositId: deposit.id }, gross, fee)
}

type Place = Pick<Payout, 'kind' | 'to'>

/**
 * The address and the kind of a refund or return; null if it cannot be ordered. Another part of this deposit in the same
 * token that was not started yet is voided and merged into it.
 */
function placeFor(step: Step, deposit: Deposit, wanted: 'refund' | 'return', token: Token): Place | null {
  const { swap } = step
  const waiting = swap.payouts.find(
    (payout) =>
      payout.depositId === deposit.id && payout.state === 'open' && !payout.started && isSameToken(payout.token, token),
  )
  const to = waiting && isOpen(swap, deposit, waiting.to) ? waiting.to : refundAddressFor(swap, deposit)
  if (!to || waiting?.rejected) return null
  if (waiting) takeRefundBack(step, deposit, waiting)
  const kind = freeKind(swap, deposit, wanted)
  return kind && { kind, to }
}

function orderRefund({ swap, postings }: Step, place: Place & { depositId: string }, gross: Amount, fee: bigint): void {
  // Digits that the chain cannot transfer are added to the fee.
  const units = roundToTransferable(gross.units - fee, gross.token)
  order(swap, { ...place, token: gross.token, units, feeUnits: gross.units - units })
  postings.push(refundPromised(swap.id, gross.token, gross.units, units))
}

/** Keeps an amount that is too small to refund, and posts it as a fee. */
function keep(step: Step, deposit: Deposit, { dustUnits }: Context): void {
  const units = unspent(deposit)
  if (units * UNREPORTED_FRACTION > dustUnits)
    step.alerts.push('an amount below the dust limit is kept: it does not cover its gas')
  deposit.refundUnits += units
  step.postings.push(remainderKept(step.swap.id, step.swap.source, units))
}

/** Voids a refund or return that will not be sent. */
export function takeRefundBack(step: Step, deposit: Deposit, payout: Payout): void {
  const { swap } = step
  const gross = payout.units + payout.feeUnits
  payout.state = 'abandoned'
  step.postings.push(reversed(refundPromised(swap.id, payout.token, gross, payout.units), 'refund taken back'))
  if (!isSameToken(payout.token, swap.source)) return
  deposit.refundUnits -= gross
  reverseLoss(step, deposit, gross)
}

/**
 * Reduces a loss: the payout was not sent, so less of the lost deposit was spent than the loss entry says. That part is
 * neither owed nor lost.
 */
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
 * Adds a payout to the swap. At most one per kind may be active: for refunds one per deposit, for returns one open at a
 * time.
 */
export function order(swap: Swap, payout: Omit<Payout, 'state' | 'started' | 'refused' | 'isRefusalCleared'>): void {
  const { kind, depositId } = payout
  if (kind === 'return' ? isGoingBack(swap, depositId) : activePayout(swap, kind, depositId)) {
    throw new Bug('a payout was ordered twice', { swap: swap.id, kind: payout.kind })
  }
  swap.payouts.push({ ...payout, state: 'open', started: false, refused: false, isRefusalCleared: false })
}

/**
 * Where to refund a deposit: the address given for it, else the swap's refund address. The sender is used only if it
 * signed the deposit itself. Money on a deposit address may come from an exchange's wallet, and a refund there would be
 * lost.
 */
function refundTarget(swap: Swap, deposit: Deposit): Address | null {
  if (deposit.refundAddress) return deposit.refundAddress
  if (swap.refundAddress) return swap.refundAddress
  if (!swap.usesDepositAddress) return deposit.from
  return deposit.from !== null && deposit.from === swap.sourceAddress ? deposit.from : null
}

/**
 * The address that a deposit may be refunded to now; null if there is none, or if the chain or an operator refused it.
 */
export function refundAddressFor(swap: Swap, deposit: Deposit): Address | null {
  const to = refundTarget(swap, deposit)
  return to !== null && isOpen(swap, deposit, to) ? to : null
}

/**
 * Clears earlier refusals by the chain, because the refund address was set again: perhaps the token was only paused.
 * Only an operator clears an operator's rejection: a sender's signature may be older than it and be replayed.
 */
export function clearRefusals(swap: Swap, deposit: Deposit, byOperator: boolean): void {
  for (const payout of swap.payouts) {
    const { depositId, to, state, refused, rejected } = payout
    if (depositId !== deposit.id || to !== deposit.refundAddress || state !== 'abandoned') continue
    if (rejected ? byOperator : refused) payout.isRefusalCleared = true
  }
}

/**
 * True if neither the chain nor an operator has refused this address for the deposit. A rejection of a payout that was
 * confirmed anyway came too late and does not count.
 */
function isOpen(swap: Swap, deposit: Deposit, to: Address): boolean {
  const there = swap.payouts.filter(
    (payout) =>
      payout.depositId === deposit.id && payout.to === to && payout.state !== 'confirmed' && !payout.isRefusalCleared,
  )
  return there.filter(({ refused }) => refused).length < MAX_REFUSALS && !there.some(({ rejected }) => rejected)
}

/**
 * The kind to use for this deposit: if `wanted` is already used, the other one. A refund never exists together with an
 * output, nor while the swap waits for one. Once a return is paid, the next part is another return: a refuel may fail,
 * or a deposit may be re-mined with more.
 */
function freeKind(swap: Swap, deposit: Deposit, wanted: 'refund' | 'return'): 'refund' | 'return' | null {
  if (!activePayout(swap, wanted, deposit.id)) return wanted
  const other = wanted === 'refund' ? 'return' : 'refund'
  if (!activePayout(swap, other, deposit.id) && !(other === 'refund' && mayDeliver(swap))) return other
  return isGoingBack(swap, deposit.id) ? null : 'return'
}

/** Whether a return of this deposit is ordered and not confirmed. */
function isGoingBack({ payouts }: Swap, deposit: string | null): boolean {
  return payouts.some(({ kind, depositId, state }) => kind === 'return' && depositId === deposit && state === 'open')
}

function mayDeliver(swap: Swap): boolean {
  if (swap.status === 'user_transfer_pending') return true
  return activePayout(swap, 'output') !== undefined || activePayout(swap, 'sale')?.state === 'open'
}

export function hasRefund(swap: Swap): boolean {
  return swap.payouts.some(({ kind, state }) => kind === 'refund' && state !== 'abandoned')
}
