/** GET /quote: what a swap of this amount would cost and deliver now. Nothing is stored. */
import { envelope, type LimitsQuery, Quoted, QuoteQuery } from '@causeway/sdk'
import { offerFor, parseAmount, parseSlippage, quoteAmount, type RouteRequest } from '../offering.ts'
import { quoteViewOf } from '../quoteview.ts'
import type { Services } from '../services.ts'
import { presentQuoted } from './present/quote.ts'
import { viewpointOf } from './present/viewpoint.ts'
import type { Api } from './schema.ts'

export function quoteRoutes(api: Api, services: Services): void {
  api.get('/quote', { schema: { querystring: QuoteQuery, response: { 200: envelope(Quoted) } } }, async (request) => {
    const { query } = request
    const offer = offerFor(services, routeOf(query))
    const { source, destination } = offer.pricing
    const slippage = parseSlippage(query.slippage ?? null)
    const quote = quoteAmount(offer, parseAmount(query.amount, source), slippage)
    const terms = { source, destination, slippage, quote, view: quoteViewOf(offer) }
    return { data: presentQuoted(viewpointOf(services, request), terms) }
  })
}

/** The route that a query or a body names. */
export function routeOf(
  named: Pick<
    LimitsQuery,
    | 'source_network'
    | 'source_token'
    | 'destination_network'
    | 'destination_token'
    | 'refuel'
    | 'use_deposit_address'
    | 'use_depository'
    | 'use_gasless'
  >,
): RouteRequest {
  return {
    sourceNetwork: named.source_network,
    sourceToken: named.source_token,
    destinationNetwork: named.destination_network,
    destinationToken: named.destination_token,
    refuel: named.refuel,
    useDepositAddress: named.use_deposit_address,
    useDepository: named.use_depository,
    useGasless: named.use_gasless,
  }
}
