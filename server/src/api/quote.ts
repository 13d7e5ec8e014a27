/** GET /quote: what a swap of this amount would cost and deliver now. Nothing is stored. */
import { envelope, type LimitsQuery, Quoted, QuoteQuery } from '@causeway/sdk'
import { offerFor, parseAmount, parseSlippage, quoteAmount, type RouteRequest } from '../offering.ts'
import { quoteViewOf } from '../quoteview.ts'
import type { Services } from '../services.ts'
import { createBriefMemory } from './brief.ts'
import { toJson } from './json.ts'
import { presentQuoted } from './present/quote.ts'
import { type Viewpoint, viewpointOf } from './present/viewpoint.ts'
import type { Api } from './schema.ts'

/** Prices, fees and wallets are read anew every few seconds: a quote asked for again at once is the same quote. */
const SAME_QUOTE_MS = 200

export function quoteRoutes(api: Api, services: Services): void {
  const schema = { querystring: QuoteQuery, response: { 200: envelope(Quoted) } }
  const answers = createBriefMemory<Buffer>(Math.min(services.config.ANSWER_CACHE_MS, SAME_QUOTE_MS))
  api.get('/quote', { schema }, async (request, reply) => {
    const viewpoint = viewpointOf(services, request)
    const text = answers(`${viewpoint.baseUrl} ${request.url}`, () => quoteText(viewpoint, request.query))
    // The bytes are an answer of this shape already.
    return reply.type('application/json; charset=utf-8').send(text as never)
  })

  function quoteText(viewpoint: Viewpoint, query: QuoteQuery): Buffer {
    const offer = offerFor(services, routeOf(query))
    const { source, destination } = offer.pricing
    const slippage = parseSlippage(query.slippage ?? null)
    const quote = quoteAmount(offer, parseAmount(query.amount, source), slippage)
    const reward = services.campaigns.earning(offer.pricing, quote, services.now())
    const terms = { source, destination, slippage, quote, view: quoteViewOf(offer, reward) }
    return Buffer.from(toJson({ data: presentQuoted(viewpoint, terms) }))
  }
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
