/** The part of an offer that is shown with a quote and stored with the swap. */
import type { Earning, QuoteView } from '../store/swaps/quote-view.ts'
import type { Offer } from './quote-service.ts'

export function quoteViewOf({ pricing, completionMs, provider }: Offer, reward: Earning | null): QuoteView {
  const { sourcePrice, destinationPrice, refuel } = pricing
  const shown = refuel && { units: refuel.units, usd: refuel.usd }
  return { sourcePrice, destinationPrice, refuel: shown, completionMs, provider, reward }
}
