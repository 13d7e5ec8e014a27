/** Quotes, refuels and limits as the API shows them. */
import { mulDiv, ONE, type Quote, type Token, totalFee } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { Offer } from '../../offering.ts'
import type { QuoteView } from '../../quoteview.ts'
import { presentReward } from './campaign.ts'
import { presentNetwork, presentToken } from './network.ts'
import { fraction, human, humanUsd, timeSpan, worth } from './numbers.ts'
import type { Viewpoint } from './viewpoint.ts'

/** A quote with what is shown beside it, fresh or as it was stored. */
export interface Terms {
  source: Token
  destination: Token
  slippage: bigint
  /** Null while the amount is open. */
  quote: Quote | null
  view: QuoteView
}

/** Who pays where no swap provider is on the route. */
export const OURSELVES = 'causeway'
export const OUR_NAME = 'Causeway'

export function presentQuoted(viewpoint: Viewpoint, terms: Terms): wire.Quoted {
  return {
    quote: presentQuote(viewpoint, terms),
    refuel: presentRefuel(viewpoint, terms),
    reward: presentReward(viewpoint, terms.view.reward),
  }
}

function presentQuote(viewpoint: Viewpoint, terms: Terms): wire.Quote {
  const { source, destination, quote, view } = terms
  const { networks } = placesOf(viewpoint, terms)
  const inSource = (units: bigint | undefined) => (units === undefined ? null : human(units, source))
  return {
    total_fee: inSource(quote ? totalFee(quote) : undefined),
    total_fee_in_usd: quote && worth(totalFee(quote), source, view.sourcePrice),
    source_network: networks.source,
    source_token: presentToken(viewpoint, source),
    destination_network: networks.destination,
    destination_token: presentToken(viewpoint, destination),
    requested_amount: inSource(quote?.requestedUnits),
    receive_amount: quote && human(quote.receiveUnits, destination),
    fee_discount: 0,
    min_receive_amount: quote && human(quote.minReceiveUnits, destination),
    blockchain_fee: inSource(quote?.blockchainFeeUnits),
    service_fee: inSource(quote?.serviceFeeUnits),
    avg_completion_time: timeSpan(view.completionMs),
    refuel_in_source: inSource(quote?.refuelInSourceUnits),
    slippage: fraction(terms.slippage),
    rate: fraction(shownRate(terms)),
    path: [{ provider: view.provider ?? OURSELVES, order: 1 }],
  }
}

function presentRefuel(viewpoint: Viewpoint, terms: Terms): wire.Refuel | null {
  const { refuel } = terms.view
  if (!refuel) return null
  const { destination } = placesOf(viewpoint, terms)
  return {
    token: presentToken(viewpoint, destination.nativeToken),
    network: presentNetwork(viewpoint, destination),
    amount: human(refuel.units, destination.nativeToken),
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

function placesOf(viewpoint: Viewpoint, { source, destination }: Terms) {
  const { catalogue } = viewpoint.services
  return {
    destination: catalogue.network(destination.network),
    networks: {
      source: presentNetwork(viewpoint, catalogue.network(source.network)),
      destination: presentNetwork(viewpoint, catalogue.network(destination.network)),
    },
  }
}

/**
 * The rate of the quote's prices. A swap that was re-priced for a late deposit has a new quote beside old prices: then
 * the rate is what its own numbers say.
 */
function shownRate({ source, destination, quote, view }: Terms): bigint {
  const ofPrices = mulDiv(view.sourcePrice, ONE, view.destinationPrice, 'down')
  if (!quote) return ofPrices
  const left = quote.requestedUnits - totalFee(quote) - quote.refuelInSourceUnits
  const whole = { source: 10n ** BigInt(source.decimals), destination: 10n ** BigInt(destination.decimals) }
  const expected = mulDiv(left, view.sourcePrice * whole.destination, view.destinationPrice * whole.source, 'down')
  return expected === quote.receiveUnits
    ? ofPrices
    : mulDiv(quote.receiveUnits * whole.source, ONE, left * whole.destination, 'down')
}
