/** A swap in wire format, with its quote and its transactions. */
import { isSameToken, type Status, type Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { SwapView } from '../../store/swaps/swap-read.ts'
import { fundingOf } from '../../swaps/funding.ts'
import { presentNamedExchange } from './exchange.ts'
import { presentNetwork, presentToken } from './network.ts'
import { human } from './numbers.ts'
import { presentOwed, refundAddressOf } from './owed.ts'
import type { PresentationContext } from './presentation-context.ts'
import { presentQuoted } from './quote.ts'
import { delivered, type PriceOf, presentInput, presentLegs, presentPayout } from './transaction.ts'

/** The app's own reference is private: only its secret key sees it. Without an app it is public. */
export function seesReference({ appId }: SwapView, reader: string | null): boolean {
  return appId === null || appId === reader
}

/** Everything except the deposit actions. */
export function presentSwapDetails(
  viewpoint: PresentationContext,
  record: SwapView,
  withReference: boolean,
): wire.Quoted & { swap: wire.Swap } {
  const { source, destination, slippage, quote, quoteExpiresAt: expiresAt } = record.swap
  return {
    ...presentQuoted(viewpoint, { source, destination, slippage, quote, expiresAt, view: record.quoteView }),
    swap: presentSwap(viewpoint, record, withReference),
  }
}

function presentSwap(viewpoint: PresentationContext, record: SwapView, withReference: boolean): wire.Swap {
  const { swap } = record
  const { catalogue } = viewpoint.services
  const requested = swap.requestedUnits ?? swap.quote?.requestedUnits ?? null
  return {
    id: swap.id,
    created_date: record.createdAt.toISOString(),
    close_date: swap.closedAt?.toISOString() ?? null,
    source_network: presentNetwork(viewpoint, catalogue.network(swap.source.network)),
    source_token: presentToken(viewpoint, swap.source),
    source_exchange: presentNamedExchange(viewpoint, record.exchanges.source),
    destination_network: presentNetwork(viewpoint, catalogue.network(swap.destination.network)),
    destination_token: presentToken(viewpoint, swap.destination),
    destination_exchange: presentNamedExchange(viewpoint, record.exchanges.destination),
    requested_amount: requested === null ? 0 : human(requested, swap.source),
    ...presentFunding(record),
    destination_address: swap.destinationAddress,
    source_address: swap.sourceAddress,
    refund_address: refundAddressOf(swap),
    status: shownStatus(viewpoint, swap.status),
    fail_reason: swap.failReason,
    owed: presentOwed(viewpoint, swap),
    use_deposit_address: swap.usesDepositAddress,
    metadata: {
      sequence_number: Number(record.reference),
      reference_id: withReference ? record.referenceId : null,
      exchange_account: null,
    },
    transactions: presentTransactions(viewpoint, record),
    legs: presentLegs(viewpoint, record),
  }
}

/** The amounts that have arrived and that are missing. */
export function presentFunding(view: SwapView): wire.Funding {
  const { receivedUnits, remainingUnits, waitsUntil } = fundingOf(view)
  const { source } = view.swap
  return {
    received_amount: human(receivedUnits, source),
    received_amount_in_base_units: receivedUnits.toString(),
    remaining_amount: human(remainingUnits, source),
    remaining_amount_in_base_units: remainingUnits.toString(),
    waits_until: waitsUntil?.toISOString() ?? null,
  }
}

/** With ONE_REFUND_STATUS, both refund states are shown as one, for clients that know only one. */
export function shownStatus({ services }: PresentationContext, status: Status): Status {
  return services.config.oneRefundStatus && status === 'refund_pending' ? 'pending_refund' : status
}

function presentTransactions(viewpoint: PresentationContext, record: SwapView): wire.Transaction[] {
  const priceOf = pricesOf(viewpoint, record)
  return [
    ...record.deposits.map((row) => presentInput(viewpoint, row, priceOf)),
    ...record.payouts.map((row) => presentPayout(viewpoint, delivered(row, record.swap), priceOf)),
  ].filter((transaction) => transaction !== null)
}

/** Prices at the swap's creation. A refuel's token may be neither of the two: it has today's price. */
function pricesOf({ services }: PresentationContext, { swap, quoteView }: SwapView): PriceOf {
  return (token: Token) => {
    if (isSameToken(token, swap.source)) return quoteView.sourcePrice
    if (isSameToken(token, swap.destination)) return quoteView.destinationPrice
    return services.market.price(token)
  }
}
