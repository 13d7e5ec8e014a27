/** GET /quote: what a swap of this amount would cost and deliver now. Nothing is stored. */
import { envelope, type LimitsQuery, Quoted, QuoteQuery } from '@causeway/sdk'
import {
  earningTerms,
  type Offer,
  offerFor,
  parseAmount,
  parseSlippage,
  quoteAmount,
  type RouteRequest,
} from '../offering.ts'
import { quoteViewOf } from '../quoteview.ts'
import type { Services } from '../services.ts'
import { createBriefMemory } from './brief.ts'
import { toJson } from './json.ts'
import { presentQuoted } from './present/quote.ts'
import { type Viewpoint, viewpointOf } from './present/viewpoint.ts'
import { type Api, sendText } from './schema.ts'

/** Prices, fees and wallets are read anew every few seconds: a quote asked for again at once is the same quote. */
const SAME_QUOTE_MS = 200

export function quoteRoutes(api: Api, services: Services): void {
  const schema = { querystring: QuoteQuery, response: { 200: envelope(Quoted) } }
  const keepMs = Math.min(services.config.ANSWER_CACHE_MS, SAME_QUOTE_MS)
  const answers = createBriefMemory<string>(keepMs)
  const offers = createBriefMemory<Offer>(keepMs)
  api.get('/quote', { schema }, (request, reply) => {
    const viewpoint = viewpointOf(services, request)
    const text = answers(`${viewpoint.baseUrl} ${request.url}`, () => quoteText(viewpoint, request.query))
    sendText(reply, text)
  })

  function quoteText(viewpoint: Viewpoint, query: QuoteQuery): string {
    const route = routeOf(query)
    const offer = offers(Object.values(route).join('\n'), () => offerFor(services, route))
    const { source, destination } = offer.pricing
    const slippage = parseSlippage(query.slippage ?? null)
    const quote = quoteAmount(offer, parseAmount(query.amount, source), slippage)
    const recipient = recipientOf(offer, query.destination_address)
    const { earning } = services.campaigns.earning(earningTerms(offer, quote, recipient), services.now())
    const terms = { source, destination, slippage, quote, view: quoteViewOf(offer, earning) }
    return toJson({ data: presentQuoted(viewpoint, terms) })
  }
}

/** Nothing but the reward depends on it, so an address that is none is left to the swap to refuse. */
function recipientOf({ destinationChain }: Offer, address: string | undefined): string | null {
  return address === undefined ? null : destinationChain.parseAddress(address)
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
