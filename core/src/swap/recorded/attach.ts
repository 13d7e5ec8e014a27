/**
 * Recorded payouts: those that the signing journal has and a restored database had lost. They were signed, so they
 * replace whatever the restored swap would order, and the deposits that they settled are not paid for again. Part of
 * `advance`.
 */
import { isSameToken } from '../../money/money.ts'
import { outputPromised, refundPromised, salePromised } from '../ledger.ts'
import type { Payout } from '../payout.ts'
import { paidUnits, type Quote } from '../quote.ts'
import { activePayout, deriveStatus, order, takeRefundBack, unspent } from '../refund.ts'
import { useProceeds } from '../sale.ts'
import { promises, takeOutputBack, takeSaleBack } from '../settle.ts'
import type { Context, Deposit, RecordedPayout, Step, Swap } from '../swap.ts'
import { attachToProceeds, CONFLICT, delivers, purchaseOf, pushRecorded } from './proceeds.ts'

/** Adds the recorded payouts to the swap. False if they do not fit the swap: then nothing is changed. */
export function attachRecorded(step: Step, recorded: readonly RecordedPayout[], context: Context): boolean {
  const { swap } = step
  const lostSale = recorded.find(({ kind, isAttached }) => kind === 'sale' && !isAttached)
  if (lostSale) return attachSale(step, lostSale, recorded, context)
  const sale = activePayout(swap, 'sale')
  if (sale?.state === 'confirmed' && attachToProceeds(step, recorded) === 'conflict') return false
  // Until the sale is confirmed, its proceeds are unknown: what they paid for waits.
  if (sale) return attachUnsold(step, recorded)
  const output = recorded.find(({ kind }) => kind === 'output')
  const refuel = recorded.find(({ kind }) => kind === 'refuel')
  const back = recorded.filter(({ kind, isAttached }) => (kind === 'refund' || kind === 'return') && !isAttached)
  const isExtended = output?.isAttached === true
  // An output of a route with a sale was paid from its proceeds, so its sale must be known.
  const isUnsold = output !== undefined && (swap.originalQuote ?? swap.quote)?.legs?.sale !== undefined
  if (isUnsold || !(isExtended ? fits(swap, undefined, undefined, back) : fits(swap, output, refuel, back))) {
    step.alerts.push(CONFLICT)
    return false
  }
  if (output && isExtended) extendOutput(step, output, back)
  else if (output) {
    voidUnstarted(step, (payout) => payout.depositId === null || payout.kind === 'refund')
    for (const id of output.depositIds) voidUnstarted(step, ({ depositId }) => depositId === id)
    attachOutput(step, output, refuel ?? null, back, context)
  } else if (back.some(({ kind }) => kind === 'refund')) {
    voidUnstarted(step, (payout) => payout.depositId === null)
  }
  for (const one of back) attachBack(step, one, back)
  if (!output && back.some(({ kind }) => kind === 'refund')) {
    swap.status = 'refund_pending'
    deriveStatus(swap)
  }
  return true
}

/**
 * Attaches a sale that was signed before the restore: it is never made again. If it is confirmed already, its proceeds
 * pay for the output, or for what they had paid for then.
 */
function attachSale(step: Step, lost: RecordedPayout, recorded: readonly RecordedPayout[], context: Context): boolean {
  const { swap } = step
  const quote = swap.originalQuote ?? swap.quote
  const quoted = quote?.legs?.sale
  const { leg, units, depositIds } = lost
  const sold = swap.deposits.filter(({ id, state }) => state === 'confirmed' && depositIds.includes(id))
  const isSame = leg && quoted && isSameToken(lost.token, swap.source) && isSameToken(leg.buys, quoted.buys)
  const isStarted = swap.payouts.some(
    ({ kind, state, started }) => kind !== 'return' && state !== 'abandoned' && (started || state === 'confirmed'),
  )
  if (!isSame || quote.requestedUnits !== units || isStarted) {
    step.alerts.push(CONFLICT)
    return false
  }
  // Another deposit that it sold is not credited yet.
  if (sold.reduce((sum, deposit) => sum + deposit.units - startedUnits(swap, deposit), 0n) < units) return false
  voidUnstarted(step, (payout) => payout.depositId === null || depositIds.includes(payout.depositId))
  const { provider, minUnits, route } = leg
  swap.quote = { ...quote, legs: { ...quote.legs, sale: { ...quoted, provider, minUnits, route } } }
  swap.failReason = null
  swap.repriceSince = null
  swap.status = 'ls_transfer_pending'
  let missing = units
  for (const deposit of sold) {
    const takes = unspent(deposit) < missing ? unspent(deposit) : missing
    deposit.outputUnits += takes
    missing -= takes
  }
  pushRecorded(swap, lost, null, 0n)
  step.postings.push(salePromised(swap.id, swap.source, units))
  if (!attachUnsold(step, recorded)) return false
  const sale = activePayout(swap, 'sale')
  if (sale?.state === 'confirmed' && lost.receivedUnits !== undefined)
    useProceeds(step, sale, lost.receivedUnits, recorded, context)
  return true
}

/** Attaches returns of units that were not sold. */
function attachUnsold(step: Step, recorded: readonly RecordedPayout[]): boolean {
  const { swap } = step
  const back = recorded.filter(
    ({ kind, token, isAttached }) => kind === 'return' && !isAttached && isSameToken(token, swap.source),
  )
  if (!fits(swap, undefined, undefined, back)) {
    step.alerts.push(CONFLICT)
    return false
  }
  for (const one of back) attachBack(step, one, back)
  return true
}

/**
 * Whether the recorded payouts belong to this swap: it has no signed payout of the same kind and deposit, and the tokens
 * are the swap's.
 */
function fits(
  swap: Swap,
  output: RecordedPayout | undefined,
  refuel: RecordedPayout | undefined,
  back: readonly RecordedPayout[],
): boolean {
  const isTaken = (kind: Payout['kind'], depositId: string | null = null) =>
    swap.payouts.some(
      (one) =>
        one.kind === kind &&
        one.state !== 'abandoned' &&
        (depositId === null || one.depositId === depositId) &&
        (one.started || one.state === 'confirmed'),
    )
  const credited = (id: string) => swap.deposits.find((one) => one.id === id && one.state === 'confirmed')
  if (output) {
    if (!delivers(swap, output) || isTaken('output') || isTaken('refund')) return false
    if (back.some(({ kind }) => kind === 'refund') || !output.depositIds.some(credited)) return false
  }
  // A refuel alone does not show the price of the output.
  if (refuel && (!output || !swap.refuel || !isSameToken(refuel.token, swap.refuel) || isTaken('refuel'))) return false
  return back.every(({ kind, token, units, depositIds: [id = ''] }) => {
    const deposit = credited(id)
    if (!deposit || !isSameToken(token, swap.source) || isTaken('refund', id)) return false
    if (kind === 'refund' && isTaken('output')) return false
    return deposit.units - startedUnits(swap, deposit) >= units
  })
}

/** The units of a deposit that are used by payouts which cannot be voided. */
function startedUnits(swap: Swap, deposit: Deposit): bigint {
  const isFixed = (payout: Payout) => payout.state === 'confirmed' || (payout.state === 'open' && payout.started)
  const output = activePayout(swap, 'output')
  const used = output && isFixed(output) ? deposit.outputUnits : 0n
  return swap.payouts
    .filter((payout) => payout.depositId === deposit.id && isFixed(payout))
    .reduce((sum, { units, feeUnits }) => sum + units + feeUnits, used)
}

function voidUnstarted(step: Step, isMeant: (payout: Payout) => boolean): void {
  const { swap } = step
  for (const payout of swap.payouts) {
    if (payout.state !== 'open' || payout.started || !isMeant(payout)) continue
    const deposit = swap.deposits.find(({ id }) => id === payout.depositId)
    if (deposit) takeRefundBack(step, deposit, payout)
    else if (payout.kind === 'output') {
      payout.state = 'abandoned'
      takeOutputBack(step)
    } else if (payout.kind === 'sale') {
      payout.state = 'abandoned'
      takeSaleBack(step, payout)
    }
  }
}

/**
 * Adds a recorded output. The fee of the lost quote is unknown, so it stays in the `exchange` account. A refuel that
 * was not signed is still owed.
 */
function attachOutput(
  step: Step,
  output: RecordedPayout,
  refuel: RecordedPayout | null,
  back: readonly RecordedPayout[],
  { pricing }: Context,
): void {
  const { swap } = step
  const agreed = swap.originalQuote ?? swap.quote
  const owedUnits = agreed?.refuelUnits ?? pricing?.refuel?.units ?? 0n
  const refuelUnits = refuel?.units ?? (swap.refuel ? owedUnits : 0n)
  if (swap.requestedUnits !== null) swap.originalQuote ??= swap.quote
  const purchase = purchaseOf(output)
  const receiveUnits = purchase ? (agreed?.receiveUnits ?? purchase.outUnits) : output.units
  const quote: Quote = {
    ...{ requestedUnits: 0n, blockchainFeeUnits: 0n, serviceFeeUnits: 0n, refuelInSourceUnits: 0n, refuelUnits },
    ...{ receiveUnits, minReceiveUnits: purchase?.minUnits ?? output.units, slippage: swap.slippage },
    ...(purchase && { legs: { purchase } }),
  }
  swap.quote = quote
  swap.failReason = null
  swap.repriceSince = null
  swap.status = 'ls_transfer_pending'
  pushRecorded(swap, output, null, 0n)
  if (refuel) pushRecorded(swap, refuel, null, 0n)
  else if (swap.refuel && refuelUnits > 0n) {
    const to = swap.destinationAddress
    order(swap, { kind: 'refuel', depositId: null, token: swap.refuel, units: refuelUnits, feeUnits: 0n, to })
  }
  quote.requestedUnits = useDeposits(swap, output, back, agreed)
  step.postings.push(...promises(swap, quote))
}

/**
 * Marks the deposits that a recorded output used: everything that it settled, except recorded returns. If it paid no
 * more than the quote, only the requested amount was used, and the rest is still to be returned.
 */
function useDeposits(
  swap: Swap,
  output: RecordedPayout,
  back: readonly RecordedPayout[],
  agreed: Quote | null,
): bigint {
  const isAsQuoted = agreed !== null && output.units <= paidUnits(agreed)
  const used = swap.deposits.reduce((sum, { outputUnits }) => sum + outputUnits, 0n)
  let left = isAsQuoted && swap.requestedUnits !== null ? swap.requestedUnits - used : null
  let taken = 0n
  for (const deposit of swap.deposits) {
    if (deposit.state !== 'confirmed' || !output.depositIds.includes(deposit.id)) continue
    const kept = back
      .filter(({ depositIds }) => depositIds.includes(deposit.id))
      .reduce((sum, one) => sum + one.units, 0n)
    const free = unspent(deposit) - kept
    const takes = left !== null && left < free ? left : free
    if (takes <= 0n) continue
    deposit.outputUnits += takes
    taken += takes
    if (left !== null) left -= takes
  }
  return taken
}

/** Adds a deposit to a recorded output that is already attached. */
function extendOutput(step: Step, output: RecordedPayout, back: readonly RecordedPayout[]): void {
  const { swap } = step
  if (!swap.quote) return
  const taken = useDeposits(swap, output, back, swap.originalQuote)
  swap.quote = { ...swap.quote, requestedUnits: swap.quote.requestedUnits + taken }
  const more = { ...swap.quote, requestedUnits: taken, receiveUnits: 0n, refuelInSourceUnits: 0n }
  if (taken > 0n) step.postings.push(outputPromised(swap.id, swap.source, swap.destination, more))
}

/**
 * Adds a recorded refund or return. The last one of a deposit takes the rest of it: the amount withheld for gas is not
 * in the journal.
 */
function attachBack(step: Step, one: RecordedPayout, all: readonly RecordedPayout[]): void {
  const { swap } = step
  const [id = ''] = one.depositIds
  const deposit = swap.deposits.find((each) => each.id === id)
  if (!deposit) return
  voidUnstarted(step, ({ depositId }) => depositId === id)
  const isLast = all.findLast(({ depositIds }) => depositIds.includes(id)) === one
  const gross = isLast ? unspent(deposit) : one.units
  deposit.refundUnits += gross
  pushRecorded(swap, one, id, gross - one.units)
  step.postings.push(refundPromised(swap.id, swap.source, gross, one.units))
}
