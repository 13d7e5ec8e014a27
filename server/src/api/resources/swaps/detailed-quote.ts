/** GET /detailed_quote: the cost of a route by tiers of the amount. */
import { envelope, LimitsQuery, QuoteTier } from '@causeway/sdk'
import { z } from 'zod'
import { tiersOf } from '../../../offer/confirmation-tiers.ts'
import { impliedFunding, offerFor } from '../../../offer/quote-service.ts'
import { requireReady } from '../../../offer/readiness.ts'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'
import { presentTier } from '../../present/tiers.ts'
import { routeOf } from './quote.ts'

export function detailedQuoteRoutes(api: Api, services: Services): void {
  api.get(
    '/detailed_quote',
    { schema: { querystring: LimitsQuery, response: { 200: envelope(z.array(QuoteTier)) } } },
    async (request) => {
      const offer = offerFor(services, impliedFunding(services, routeOf(request.query)))
      await requireReady(services, offer.sourceChain.network.name)
      const viewpoint = presentationContextOf(services, request)
      return { data: tiersOf(offer).map((tier, at) => presentTier(viewpoint, offer, tier, at + 1)) }
    },
  )
}
