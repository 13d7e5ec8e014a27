/** Quotes, refuels and limits in wire format. */
import { formatDecimal, mulDiv, ONE, type Quote, type Token, tenTo, totalFee, totalImpactBps } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import { HIGH_SLIPPAGE, type Offer } from '../../offer/quote-service.ts'
import type { QuoteView } from '../../store/swaps/quote-view.ts'
import { presentReward } from './campaign.ts'
import { presentNetwork, presentToken } from './network.ts'
import { fraction, human, humanUsd, timeSpan, worth } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

/** A quote and what is shown with it, fresh or as stored. */
export interface Terms {
  source: Token
  destination: Token
  slippage: bigint
  /** The quote; null for an open amount, whose amounts are shown as 0. */
  quote: Quote | null
  /** Until this time a deposit is paid as quoted. */
  expiresAt: Date
  view: QuoteView
}

type Frame = Omit<Terms, 'quote' | 'expiresAt'>

const BPS_PER_ONE = 10_000

/** Id and display name of the provider if no swap provider is on the route. */
export const OURSELVES = 'causeway'
export const OUR_NAME = 'Causeway'

export function presentQuoted(viewpoint: PresentationContext, terms: Terms): wire.Quoted {
  return {
    quote: presentQuote(viewpoint, terms),
    refuel: presentRefuel(viewpoint, terms),
    reward: presentReward(viewpoint, terms.view.reward),
  }
}

function presentQuote(viewpoint: PresentationContext, terms: Terms): wire.Quote {
  return { ...presentAmounts(terms), ...presentFrame(viewpoint, terms) }
}

/** The fields that depend on the amount. */
export function presentAmounts(terms: Terms) {
  const { source, destination, quote, view } = terms
  const inSource = (units: bigint | undefined) => (units === undefined ? 0 : human(units, source))
  return {
    total_fee: inSource(quote ? totalFee(quote) : undefined),
    total_fee_in_usd: quote ? worth(totalFee(quote), source, view.sourcePrice) : 0,
    requested_amount: inSource(quote?.requestedUnits),
    receive_amount: quote ? human(quote.receiveUnits, destination) : 0,
    min_receive_amount: quote ? human(quote.minReceiveUnits, destination) : 0,
    blockchain_fee: inSource(quote?.blockchainFeeUnits),
    service_fee: inSource(quote?.serviceFeeUnits),
    refuel_in_source: inSource(quote?.refuelInSourceUnits),
    rate: fraction(shownRate(terms)),
    expires_at: quote && terms.expiresAt.toISOString(),
    slippage: fraction(quote?.slippage ?? terms.slippage),
    path: pathOf(quote, view),
    price_impact: quote?.legs ? Number(totalImpactBps(quote.legs)) / BPS_PER_ONE : null,
    warnings: warningsOf(terms),
  } satisfies Partial<wire.Quote>
}

/** The fields that are the same for every amount. */
export function presentFrame(viewpoint: PresentationContext, terms: Frame) {
  const { source, destination, view } = terms
  const { catalogue } = viewpoint.services
  return {
    source_network: presentNetwork(viewpoint, catalogue.network(source.network)),
    source_token: presentToken(viewpoint, source),
    destination_network: presentNetwork(viewpoint, catalogue.network(destination.network)),
    destination_token: presentToken(viewpoint, destination),
    fee_discount: 0,
    avg_completion_time: timeSpan(view.completionMs),
  } satisfies Partial<wire.Quote>
}

/** Who moves the money, in order: an exchange on the source, ourselves, an exchange on the destination. */
function pathOf(quote: Quote | null, view: QuoteView): wire.Quote['path'] {
  const { sale, purchase } = quote?.legs ?? {}
  const names = quote?.legs
    ? [...(sale ? [sale.provider] : []), OURSELVES, ...(purchase ? [purchase.provider] : [])]
    : [view.provider ?? OURSELVES]
  return names.map((provider, index) => ({ provider, order: index + 1 }))
}

function warningsOf({ quote, slippage: asked, view }: Terms): wire.Quote['warnings'] {
  const slippage = quote?.slippage ?? asked
  return [
    ...(slippage > HIGH_SLIPPAGE ? [highSlippage(slippage)] : []),
    ...(quote?.legs ? [priceImpact(totalImpactBps(quote.legs))] : []),
    ...(quote?.legs || view.provider !== null ? [REFUND_ADDRESS_WARNING] : []),
  ]
}

const REFUND_ADDRESS_WARNING = {
  code: 'REFUND_ADDRESS_REQUIRED',
  message: 'The route goes over a swap provider: give a refund_address when you create the swap.',
}

function priceImpact(bps: bigint): wire.Quote['warnings'][number] {
  const message = `The exchange gives ${formatDecimal(bps, 2)} percent less than its present price, because of the amount.`
  return { code: 'PRICE_IMPACT', message }
}

function highSlippage(slippage: bigint): wire.Quote['warnings'][number] {
  const percent = formatDecimal(slippage * 100n, 18)
  const message = `The slippage is ${percent} percent: the payout may be smaller than the quote by up to that share.`
  return { code: 'HIGH_SLIPPAGE', message }
}

export function presentRefuel(viewpoint: PresentationContext, { destination, view }: Frame): wire.Refuel | null {
  const { refuel } = view
  if (!refuel) return null
  const network = viewpoint.services.catalogue.network(destination.network)
  return {
    token: presentToken(viewpoint, network.nativeToken),
    network: presentNetwork(viewpoint, network),
    amount: human(refuel.units, network.nativeToken),
    amount_in_usd: humanUsd(refuel.usd),
  }
}

export function presentLimits({ limits, pricing }: Offer): wire.Limits {
  const { source, sourcePrice } = pricing
  return {
    min_amount: human(limits.minUnits, source),
    min_amount_in_usd: worth(limits.minUnits, source, sourcePrice),
    max_amount: human(limits.maxUnits, source),
    max_amount_in_usd: worth(limits.maxUnits, source, sourcePrice),
  }
}

/**
 * The rate of the quote's prices. A swap that was re-priced for a late deposit has a new quote but old prices: then the
 * rate is computed from the quote's own numbers.
 */
function shownRate({ source, destination, quote, view }: Terms): bigint {
  const ofPrices = mulDiv(view.sourcePrice, ONE, view.destinationPrice, 'down')
  if (!quote) return ofPrices
  const left = quote.requestedUnits - totalFee(quote) - quote.refuelInSourceUnits
  const whole = { source: tenTo(source.decimals), destination: tenTo(destination.decimals) }
  const expected = mulDiv(left, view.sourcePrice * whole.destination, view.destinationPrice * whole.source, 'down')
  return expected === quote.receiveUnits
    ? ofPrices
    : mulDiv(quote.receiveUnits * whole.source, ONE, left * whole.destination, 'down')
}
