/** A swap in wire format, with its quote and its transactions. */
import {
  isProceeds,
  isSameToken,
  mulDiv,
  type Rounding,
  roundToDisplay,
  type Status,
  type Swap,
  type Token,
  tenTo,
} from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { SwapView } from '../../store/swaps/swap-read.ts'
import { fundingOf } from '../../swaps/funding.ts'
import { presentNamedExchange } from './exchange.ts'
import { presentNetwork, presentToken } from './network.ts'
import { human } from './numbers.ts'
import { presentOwed, refundAddressOf } from './owed.ts'
import type { PresentationContext } from './presentation-context.ts'
import { presentQuoted, type Terms } from './quote.ts'
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
  return {
    ...presentQuoted(viewpoint, termsAsAsked(record)),
    swap: presentSwap(viewpoint, record, withReference),
  }
}

function presentSwap(viewpoint: PresentationContext, record: SwapView, withReference: boolean): wire.Swap {
  const { swap } = record
  const { catalogue } = viewpoint.services
  const source = askedToken(swap)
  const requested = swap.userExchange?.inUnits ?? swap.requestedUnits ?? swap.quote?.requestedUnits ?? null
  return {
    id: swap.id,
    created_date: record.createdAt.toISOString(),
    close_date: swap.closedAt?.toISOString() ?? null,
    source_network: presentNetwork(viewpoint, catalogue.network(swap.source.network)),
    source_token: presentToken(viewpoint, source),
    source_exchange: presentNamedExchange(viewpoint, record.exchanges.source),
    destination_network: presentNetwork(viewpoint, catalogue.network(swap.destination.network)),
    destination_token: presentToken(viewpoint, swap.destination),
    destination_exchange: presentNamedExchange(viewpoint, record.exchanges.destination),
    requested_amount: requested === null ? 0 : human(requested, source),
    ...presentFunding(record),
    destination_address: swap.destinationAddress,
    source_address: swap.sourceAddress,
    refund_address: refundAddressOf(swap),
    status: shownStatus(viewpoint, swap.status),
    fail_reason: swap.failReason,
    owed: presentOwed(viewpoint, swap),
    // The address of a depositor's exchange is for the exchange alone.
    use_deposit_address: swap.usesDepositAddress && !swap.userExchange,
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
  const token = askedToken(view.swap)
  const received = unitsAsAsked(view.swap, receivedUnits, 'down')
  const remaining = unitsAsAsked(view.swap, remainingUnits, 'up')
  return {
    received_amount: human(received, token),
    received_amount_in_base_units: received.toString(),
    remaining_amount: human(remaining, token),
    remaining_amount_in_base_units: remaining.toString(),
    waits_until: waitsUntil?.toISOString() ?? null,
  }
}

/** The token that the swap was asked for: what a depositor's exchange sells, though the hub token arrives. */
export function askedToken({ source, userExchange }: Swap): Token {
  return userExchange?.sells ?? source
}

/**
 * Units of the token that arrives, in the token that was asked for. If the exchange was made, all of its input was sent. From
 * two minimums on it was made twice.
 */
function unitsAsAsked(swap: Swap, units: bigint, rounding: Rounding): bigint {
  const { userExchange: exchange } = swap
  if (!exchange || units === 0n) return units
  const isOne = isProceeds(swap, units) && units < 2n * exchange.minUnits
  return isOne ? exchange.inUnits : mulDiv(units, exchange.inUnits, exchange.outUnits, rounding)
}

/** The quote as it was asked for: a depositor's exchange is shown in it like a sale of ours. */
function termsAsAsked({ swap, quoteView }: SwapView): Terms {
  const { source, destination, slippage, quote, quoteExpiresAt: expiresAt, userExchange: exchange } = swap
  const terms = { source, destination, slippage, quote, expiresAt, view: quoteView }
  if (!exchange || !quote) return terms
  const { sells, inUnits, outUnits } = exchange
  const requestedUnits = unitsAsAsked(swap, quote.requestedUnits, 'down')
  const inSold = (units: bigint) =>
    roundToDisplay(mulDiv(units, requestedUnits, quote.requestedUnits, 'up'), sells, 'up')
  const worth = quoteView.sourcePrice * outUnits * tenTo(sells.decimals)
  return {
    ...terms,
    source: sells,
    view: { ...quoteView, sourcePrice: mulDiv(worth, 1n, inUnits * tenTo(source.decimals), 'down') },
    quote: {
      ...quote,
      requestedUnits,
      blockchainFeeUnits: inSold(quote.blockchainFeeUnits),
      serviceFeeUnits: inSold(quote.serviceFeeUnits),
      refuelInSourceUnits: inSold(quote.refuelInSourceUnits),
      legs: { ...quote.legs, sale: exchange },
    },
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
