/**
 * The end of a sale: its proceeds pay for the output, or are refunded. Part of `advance`, which passes its working copy
 * of the swap. A sale that was never made frees its deposits.
 */

import type { Address } from '../money/address.ts'
import { Bug } from '../money/errors.ts'
import type { Amount } from '../money/money.ts'
import { type Posting, reversed, saleConfirmed, saleCovered, salePromised } from './ledger.ts'
import { withProceeds } from './legs.ts'
import type { Payout } from './payout.ts'
import { attachToProceeds } from './recorded/proceeds.ts'
import {
  activePayout,
  deriveStatus,
  refundAll,
  spendsProceeds,
  spentProceeds,
  strikeProceedsRefunds,
} from './refund.ts'
import { orderOutput, takeOutputBack, takeSaleBack } from './settle.ts'
import type { Context, FailReason, RecordedPayout, Step, Swap } from './swap.ts'

/** The exchange took the deposits and paid for them. */
export function confirmSale(
  step: Step,
  sale: Payout,
  from: Address,
  units: bigint | undefined,
  recorded: readonly RecordedPayout[],
  context: Context,
): void {
  const { swap } = step
  if (units === undefined) throw new Bug('a sale without its proceeds', { swap: swap.id })
  sale.state = 'confirmed'
  sale.receivedUnits = units
  step.postings.push(posting(swap, sale, from))
  useProceeds(step, sale, units, recorded, context)
}

/**
 * Pays for the output with the proceeds of a confirmed sale, or refunds them. `recorded`: what they had paid for before a
 * restore, which is not ordered again.
 */
export function useProceeds(
  step: Step,
  sale: Payout,
  units: bigint,
  recorded: readonly RecordedPayout[],
  context: Context,
): void {
  const { swap } = step
  if (!swap.quote) throw new Bug('a sale without a quote', { swap: swap.id })
  if (spentProceeds(swap) > 0n) {
    // Mined again after a reorg, maybe at another price. Payouts that were ordered stay as they are.
    if (units < (swap.quote.legs?.sale?.outUnits ?? 0n))
      step.alerts.push('a sale brought less than was paid out for it')
    if (!activePayout(swap, 'output')) deriveStatus(swap)
    return
  }
  if (swap.requestedUnits !== null) swap.originalQuote ??= swap.quote
  if (units > 0n) swap.quote = withProceeds(swap.quote, units, swap.destination)
  if (attachToProceeds(step, recorded)) return
  const obstacle = swap.failReason ?? obstacleTo(swap, sale, units)
  if (obstacle === null) orderOutput(step, swap.quote)
  else refundAll(step, context, obstacle)
}

/**
 * The sale brought less than was booked: whatever its proceeds were to pay is ordered again. Nothing changes if a part of
 * that was begun. The agreed price holds for no more than before.
 */
export function correctProceeds(step: Step, { units, from }: { units: bigint; from: Address }, context: Context): void {
  const { swap } = step
  const sale = activePayout(swap, 'sale')
  const paidOn = swap.quote?.legs?.sale?.outUnits
  if (paidOn === undefined || sale?.state !== 'confirmed' || units >= (sale.receivedUnits ?? 0n) || units <= 0n) return
  if (swap.payouts.some((payout) => isBegun(payout) && spendsProceeds(swap, payout))) return
  undoSale(step, sale, from)
  sale.state = 'confirmed'
  sale.receivedUnits = units
  step.postings.push(posting(swap, sale, from))
  useProceeds(step, sale, units < paidOn ? units : paidOn, [], context)
}

function isBegun({ state, started }: Payout): boolean {
  return state === 'confirmed' || (state === 'open' && started)
}

/** Why the proceeds cannot pay for the output; null if they can. */
function obstacleTo(swap: Swap, { leg }: Payout, units: bigint): FailReason | null {
  if (swap.deposits.some(({ state, outputUnits }) => outputUnits > 0n && state !== 'confirmed')) return 'deposit_lost'
  const { receiveUnits, minReceiveUnits } = swap.quote ?? { receiveUnits: 0n, minReceiveUnits: 0n }
  // The exchange enforces its minimum, so this is a token that keeps a part of its transfers, or a lying node.
  const isEnough = units >= (leg?.minUnits ?? 0n) && receiveUnits >= minReceiveUnits
  return isEnough ? null : 'degraded_quote'
}

/**
 * A confirmed sale is proven not made. Its proceeds do not exist, so whatever they were to pay and was not started is
 * voided. The sale is open again, and an operator decides about it.
 */
export function undoSale(step: Step, sale: Payout, from: Address): void {
  const { swap } = step
  step.postings.push(reversed(posting(swap, sale, from), 'sale undone'))
  sale.state = 'open'
  delete sale.receivedUnits
  strikeProceedsRefunds(step)
  const output = activePayout(swap, 'output')
  if (output?.state === 'open' && !output.started) {
    output.state = 'abandoned'
    takeOutputBack(step)
    // A refuel on its way has taken its share at the former proceeds: the rest is refunded.
    if (activePayout(swap, 'refuel')) swap.failReason = 'payout_rejected'
  }
  if (swap.status === 'refund_pending' || swap.status === 'pending_refund') deriveStatus(swap)
}

/** The sale was not made and will not be. If its proceeds were spent before a reorg, we keep the deposits for them. */
export function abandonSale(step: Step, { token, units, leg }: Payout, context: Context): void {
  const { swap } = step
  const proceeds = swap.quote?.legs?.sale
  if (!leg || !proceeds) throw new Bug('a sale without a quote', { swap: swap.id })
  if (spentProceeds(swap) === 0n) {
    takeSaleBack(step, { token, units })
    refundAll(step, context, swap.failReason ?? 'payout_rejected')
    return
  }
  const sold: Amount = { token, units }
  step.postings.push(
    reversed(salePromised(swap.id, token, units), 'sale taken back'),
    saleCovered(swap.id, sold, { token: leg.buys, units: proceeds.outUnits }),
  )
  step.alerts.push('a sale was not made after its proceeds were spent: we cover it')
  if (!activePayout(swap, 'output')) deriveStatus(swap)
}

function posting(swap: Swap, { token, units, leg, receivedUnits }: Payout, from: Address): Posting {
  if (!leg || receivedUnits === undefined) throw new Bug('a sale without its proceeds', { swap: swap.id })
  return saleConfirmed(swap.id, from, { token, units }, { token: leg.buys, units: receivedUnits })
}
