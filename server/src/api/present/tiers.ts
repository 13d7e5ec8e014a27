/** The tiers of a route in wire format. */
import { fromUsd, type Pricing, roundToDisplay, type Usd } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { Tier } from '../../offer/confirmation-tiers.ts'
import type { Offer } from '../../offer/quote-service.ts'
import { presentNetwork, presentToken } from './network.ts'
import { human, humanUsd, worth } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'
import { OUR_NAME, OURSELVES } from './quote.ts'

/** A fee in dollars, in the source token, rounded up to the shown digits. */
export function inSource({ source, sourcePrice }: Pricing, usd: Usd): number {
  return human(roundToDisplay(fromUsd(usd, source, sourcePrice, 'up'), source, 'up'), source)
}

/** Basis points of one percent. */
const PERCENT_BPS = 100

/** A tier. `id` names its only step: we pay each swap ourselves, or leave all of it to one provider. */
export function presentTier(viewpoint: PresentationContext, offer: Offer, tier: Tier, id: number): wire.QuoteTier {
  const { pricing, provider, sourceChain, destinationChain } = offer
  const { source, destination, sourcePrice } = pricing
  const fixedUsd = pricing.blockchainFeeUsd + pricing.serviceFeeUsd
  const percentage = Number(pricing.serviceFeeBps) / PERCENT_BPS
  return {
    avg_completion_milliseconds: tier.completionMs,
    min_amount: human(tier.minUnits, source),
    min_amount_in_usd: worth(tier.minUnits, source, sourcePrice),
    max_amount: human(tier.maxUnits, source),
    max_amount_in_usd: worth(tier.maxUnits, source, sourcePrice),
    fee_amount_for_min: human(tier.feeForMinUnits, source),
    fee_amount_for_max: human(tier.feeForMaxUnits, source),
    total_percentage_fee: percentage,
    total_fixed_fee_in_usd: humanUsd(fixedUsd),
    total_fixed_fee_in_source: inSource(pricing, fixedUsd),
    path: [
      {
        id,
        order: 1,
        provider: provider ?? OURSELVES,
        provider_name: provider ?? OUR_NAME,
        source_network: presentNetwork(viewpoint, sourceChain.network),
        source_token: presentToken(viewpoint, source),
        destination_network: presentNetwork(viewpoint, destinationChain.network),
        destination_token: presentToken(viewpoint, destination),
        service_fee_percentage: percentage,
        service_fee_in_usd: humanUsd(pricing.serviceFeeUsd),
        service_fee_in_source: inSource(pricing, pricing.serviceFeeUsd),
        expense_in_usd: humanUsd(pricing.blockchainFeeUsd),
        expense_in_source: inSource(pricing, pricing.blockchainFeeUsd),
        expense_fee_in_usd: humanUsd(pricing.blockchainFeeUsd),
        expense_fee_percentage: 0,
        fee_in_source: inSource(pricing, fixedUsd),
        fee_in_usd: humanUsd(fixedUsd),
        avg_completion_milliseconds: tier.completionMs,
      },
    ],
  }
}
