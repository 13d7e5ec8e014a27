/**
 * Recorded payouts that were paid from the proceeds of a sale: an output, a refuel, and refunds in the hub token. They
 * can be attached only after the sale is confirmed, because the proceeds are known only then. Part of `advance`.
 */
import { isSameToken } from '../../money/money.ts'
import { refundPromised } from '../ledger.ts'
import type { LegQuote } from '../legs.ts'
import type { Quote } from '../quote.ts'
import { deriveStatus, order, owedProceeds } from '../refund.ts'
import { promises } from '../settle.ts'
import type { RecordedPayout, Step, Swap } from '../swap.ts'

export const CONFLICT = 'a payout of the journal does not fit its swap: it waits for a decision'

/** Whether the recorded output delivers the swap's destination token, itself or by an exchange. */
export function delivers({ destination }: Swap, { token, leg }: RecordedPayout): boolean {
  return isSameToken(leg?.buys ?? token, destination)
}

/** The purchase that a recorded output made; undefined if it sent the destination token itself. */
export function purchaseOf({ token, units, leg, receivedUnits }: RecordedPayout): LegQuote | undefined {
  if (!leg) return undefined
  const { provider, buys, minUnits, route } = leg
  const exchange = { provider, network: token.network, sells: token, buys, inUnits: units, route }
  return { ...exchange, outUnits: receivedUnits ?? minUnits, minUnits, impactBps: 0n }
}

/**
 * Attaches what the proceeds had paid for before the restore, so that nothing is ordered from them again. False if
 * nothing was recorded; `conflict` if it does not fit the swap, and then an operator decides.
 */
export function attachToProceeds(step: Step, recorded: readonly RecordedPayout[]): boolean | 'conflict' {
  const { swap } = step
  const waiting = recorded.filter(({ isAttached }) => !isAttached)
  const output = waiting.find(({ kind }) => kind === 'output')
  const refuel = waiting.find(({ kind }) => kind === 'refuel')
  const back = waiting.filter(
    ({ kind, token }) => (kind === 'refund' || kind === 'return') && !isSameToken(token, swap.source),
  )
  if (!output && back.length === 0) return false
  const isRefunded = back.some(({ kind }) => kind === 'refund')
  const hub = swap.quote?.legs?.sale?.buys
  const isHub = ({ token }: RecordedPayout) => hub !== undefined && isSameToken(token, hub)
  if (!swap.quote || (output && (isRefunded || !delivers(swap, output))) || !back.every(isHub)) {
    step.alerts.push(CONFLICT)
    return 'conflict'
  }
  if (output) attachOutput(step, swap.quote, output, refuel)
  for (const one of back) attachBack(step, one, one === back.at(-1) && !output)
  if (isRefunded) {
    swap.failReason ??= 'payout_rejected'
    swap.status = 'refund_pending'
    deriveStatus(swap)
  }
  return true
}

function attachOutput(step: Step, quote: Quote, output: RecordedPayout, refuel: RecordedPayout | undefined): void {
  const { swap } = step
  const purchase = purchaseOf(output)
  swap.quote = {
    ...quote,
    receiveUnits: output.leg ? quote.receiveUnits : output.units,
    refuelUnits: refuel?.units ?? quote.refuelUnits,
    legs: { ...(quote.legs?.sale && { sale: quote.legs.sale }), ...(purchase && { purchase }) },
  }
  swap.failReason = null
  swap.status = 'ls_transfer_pending'
  pushRecorded(swap, output, null, 0n)
  if (refuel) pushRecorded(swap, refuel, null, 0n)
  else if (swap.refuel && quote.refuelUnits > 0n) {
    const terms = { token: swap.refuel, units: quote.refuelUnits, feeUnits: 0n, to: swap.destinationAddress }
    order(swap, { kind: 'refuel', depositId: null, ...terms })
  }
  step.postings.push(...promises(swap, swap.quote))
}

/** The last refund takes the rest of the proceeds: the amount withheld for gas is not in the journal. */
function attachBack(step: Step, one: RecordedPayout, isLast: boolean): void {
  const { swap } = step
  const deposit = swap.deposits.find(({ id }) => one.depositIds.includes(id))
  if (!deposit) return
  const owed = owedProceeds(swap)?.units ?? 0n
  const gross = isLast && owed > one.units ? owed : one.units
  pushRecorded(swap, one, deposit.id, gross - one.units)
  step.postings.push(refundPromised(swap.id, one.token, gross, one.units))
}

export function pushRecorded(
  swap: Swap,
  { id, kind, token, units, to, state, leg, receivedUnits }: RecordedPayout,
  depositId: string | null,
  feeUnits: bigint,
): void {
  const unmarked = { refused: false, isRefusalCleared: false, started: true, recordedAs: id }
  const exchange = { ...(leg && { leg }), ...(receivedUnits !== undefined && { receivedUnits }) }
  swap.payouts.push({ kind, depositId, token, units, feeUnits, to, state, ...unmarked, ...exchange })
}
