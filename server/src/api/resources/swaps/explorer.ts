/** The public explorer: every swap, newest first, searchable, and volumes over time. */
import { Analytics, AnalyticsQuery, ExplorerParams, ExplorerRow, envelope, LAST_PAGE, SwapsQuery } from '@causeway/sdk'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import type { SwapFilter } from '../../../store/swaps/swap-list.ts'
import type { SwapView } from '../../../store/swaps/swap-read.ts'
import { createAnalytics } from '../../../swaps/analytics.ts'
import { filterOf, searchFilter } from '../../../swaps/listing.ts'
import type { ClientQueue } from '../../access/client-queue.ts'
import { type Api, sendText } from '../../http/schema.ts'
import { presentAnalytics } from '../../present/analytics.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'
import { presentSwapDetails } from '../../present/swap.ts'
import { listRequestOf } from './swap-list.ts'
import type { SwapRows } from './swap-rows.ts'

export function explorerRoutes(
  api: Api,
  services: Services,
  { turns, rows }: { turns: ClientQueue; rows: SwapRows },
): void {
  const analytics = createAnalytics(services)
  const schema = envelope(z.array(ExplorerRow))
  const list = async (
    request: FastifyRequest & { query: SwapsQuery },
    reply: FastifyReply,
    filter: () => SwapFilter | Promise<SwapFilter>,
  ) => {
    if (request.query.page > LAST_PAGE && request.query.cursor === undefined) return { data: [] }
    const viewpoint = presentationContextOf(services, request)
    const variant = `explorer ${viewpoint.baseUrl}`
    const present = (view: SwapView) => {
      const { swap, quote, refuel } = presentSwapDetails(viewpoint, view, false)
      return { swap, quote, refuel }
    }
    const list = await turns(request, reply, async () => rows({ filter: await filter(), variant, present }))
    return sendText(reply, list)
  }

  api.get('/explorer', { schema: { querystring: SwapsQuery, response: { 200: schema } } }, async (request, reply) =>
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
    { schema: { params: ExplorerParams, querystring: SwapsQuery, response: { 200: schema } } },
    async (request, reply) =>
      list(request, reply, () => searchFilter(services, request.params.search, listRequestOf(request))),
  )
}
