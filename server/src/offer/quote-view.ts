/** What of an offer is shown with a quote, and kept with the swap that is made of it. */
import type { Earning, QuoteView } from '../store/swaps/quote-view.ts'
import type { Offer } from './quote-service.ts'

export function quoteViewOf({ pricing, completionMs, provider }: Offer, reward: Earning | null): QuoteView {
  const { sourcePrice, destinationPrice, refuel } = pricing
  const shown = refuel && { units: refuel.units, usd: refuel.usd }
  return { sourcePrice, destinationPrice, refuel: shown, completionMs, provider, reward }
}
