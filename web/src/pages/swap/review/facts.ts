/** The price in parts, in dollars, for the form, the review and the swap's page. */
import type { Quoted } from '@causeway/sdk/light'
import { costShareOf, exchangeFeeOf, totalCostOf } from '../../../money/cost.ts'
import { formatPercent, formatRate, formatShort, formatUsd, providerName, visible } from '../../../money/format.ts'
import { costs, exchanging, swap as text } from '../../../text/texts.ts'
import type { Fact } from '../../../ui/facts.tsx'

type Priced = Pick<Quoted, 'quote'> & Partial<Pick<Quoted, 'refuel'>>

export function factsOf(quoted: Priced): Fact[] {
  const { quote, refuel } = quoted
  const { source_token: a, destination_token: b } = quote
  const inUsd = (amount: number) => formatUsd(amount * a.price_in_usd)
  return [
    { name: text.rate, value: text.rateOf(visible(a.symbol), formatRate(quote.rate, b.symbol)) },
    totalFees(quoted),
    { name: text.networkFee, value: inUsd(quote.blockchain_fee), look: 'sub' },
    { name: text.serviceFee, value: inUsd(quote.service_fee), look: 'sub' },
    ...exchangeFee(quoted),
    ...(refuel ? [{ name: text.refuelFee, value: formatShort(refuel.amount, refuel.token.symbol) }] : []),
    ...pathFacts(quoted),
    { name: text.impact, value: impactText(quoted) },
    minimum(quoted),
  ]
}

export function totalFees({ quote }: Priced): Fact {
  const share = costShareOf(quote)
  const note = share > 0 ? ` (${formatPercent(share)})` : ''
  return { name: text.totalFees, value: formatUsd(totalCostOf(quote)), note }
}

/** A part of the total, although the exchange deducts it. Otherwise what is sent less the fees is not what is received. */
function exchangeFee({ quote }: Priced): Fact[] {
  const fee = exchangeFeeOf(quote)
  return fee >= 0.01 ? [{ name: costs.exchangeFee, value: formatUsd(fee), look: 'sub' }] : []
}

export function minimum({ quote }: Priced): Fact {
  return { name: text.minimum, value: formatShort(quote.min_receive_amount, quote.destination_token.symbol) }
}

/** The exchanges on the way, in order; nothing without one. */
export function pathFacts({ quote: { path } }: Priced): Fact[] {
  const names = [...path].sort((a, b) => a.order - b.order).map(({ provider }) => providerName(provider))
  return names.length > 1 ? [{ name: exchanging.path, value: names.join(' → ') }] : []
}

/**
 * How far the amount moves the price of the exchanges on the way. Without one: how far the rate is below that of the
 * market's prices. Fees are counted separately.
 */
export function impactOf({ quote }: Pick<Quoted, 'quote'>): number {
  const { source_token: a, destination_token: b, rate, price_impact: moved } = quote
  if (moved !== null) return moved
  if (!a.price_in_usd || !b.price_in_usd) return 0
  return 1 - (rate * b.price_in_usd) / a.price_in_usd
}

export function impactText(quoted: Pick<Quoted, 'quote'>): string {
  const impact = impactOf(quoted)
  return impact < 0.0001 ? text.impactSmall : formatPercent(impact)
}
