/** GET /limits: the smallest and the largest amount of a route. */
import { envelope, Limits, LimitsQuery } from '@causeway/sdk'
import { impliedFunding, offerFor } from '../../../offer/quote-service.ts'
import { requireReady } from '../../../offer/readiness.ts'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'
import { presentLimits } from '../../present/quote.ts'
import { routeOf } from './quote.ts'

export function limitsRoutes(api: Api, services: Services): void {
  api.get(
    '/limits',
    { schema: { querystring: LimitsQuery, response: { 200: envelope(Limits) } } },
    async ({ query }) => {
      const offer = offerFor(services, impliedFunding(services, routeOf(query)))
      await requireReady(services, offer.sourceChain.network.name)
      return { data: presentLimits(offer) }
    },
  )
}
