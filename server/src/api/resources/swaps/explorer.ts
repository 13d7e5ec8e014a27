/** The public explorer: every swap, newest first, searchable, and volumes over time. */
import { Analytics, AnalyticsQuery, ExplorerParams, ExplorerRow, envelope, LAST_PAGE, SwapsQuery } from '@causeway/sdk'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import { listSwaps, type SwapFilter } from '../../../store/swaps/swap-list.ts'
import { createAnalytics } from '../../../swaps/analytics.ts'
import { filterOf, searchFilter } from '../../../swaps/listing.ts'
import type { ClientQueue } from '../../access/client-queue.ts'
import type { Api } from '../../http/schema.ts'
import { presentAnalytics } from '../../present/analytics.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'
import { presentSwapDetails } from '../../present/swap.ts'
import { listRequestOf } from './swap-list.ts'

export function explorerRoutes(api: Api, services: Services, turns: ClientQueue): void {
  const analytics = createAnalytics(services)
  const rows = envelope(z.array(ExplorerRow))
  const list = async (
    request: FastifyRequest & { query: SwapsQuery },
    reply: Pick<FastifyReply, 'header'>,
    filter: () => SwapFilter | Promise<SwapFilter>,
  ) => {
    if (request.query.page > LAST_PAGE && request.query.cursor === undefined) return { data: [] }
    const viewpoint = presentationContextOf(services, request)
    const views = await turns(request, reply, async () =>
      listSwaps(services.reading, services.catalogue, await filter()),
    )
    return {
      data: views.map((view) => {
        const { swap, quote, refuel } = presentSwapDetails(viewpoint, view, false)
        return { swap, quote, refuel }
      }),
    }
  }

  api.get('/explorer', { schema: { querystring: SwapsQuery, response: { 200: rows } } }, async (request, reply) =>
    list(request, reply, () => filterOf(services, listRequestOf(request))),
  )

  api.get(
    '/explorer/analytics',
    { schema: { querystring: AnalyticsQuery, response: { 200: envelope(Analytics) } } },
    async (request) => ({
      data: presentAnalytics(presentationContextOf(services, request), await analytics(request.query.period)),
    }),
  )

  api.get(
    '/explorer/:search',
    { schema: { params: ExplorerParams, querystring: SwapsQuery, response: { 200: rows } } },
    async (request, reply) =>
      list(request, reply, () => searchFilter(services, request.params.search, listRequestOf(request))),
  )
}
