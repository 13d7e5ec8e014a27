/** Exchanges in wire format. */
import type * as wire from '@causeway/sdk'
import { type Exchange, findExchange } from '../../catalogue/exchanges.ts'
import type { PresentationContext } from './presentation-context.ts'

export function presentExchange({ baseUrl }: PresentationContext, exchange: Exchange): wire.Exchange {
  const { oauth } = exchange
  return {
    name: exchange.name,
    display_name: exchange.display_name,
    logo: `${baseUrl}/logos/exchanges/${exchange.name}.svg`,
    metadata: { oauth, o_auth: oauth, listing_date: exchange.listing_date },
  }
}

/** The exchange that the swap named; null if none was named, or the operator no longer lists it. */
export function presentNamedExchange(viewpoint: PresentationContext, name: string | null): wire.Exchange | null {
  const exchange = name === null ? null : findExchange(viewpoint.services.exchanges, name)
  return exchange && presentExchange(viewpoint, exchange)
}
