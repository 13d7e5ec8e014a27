/** Lists of swaps: an address's, an app's, by reference, and the one that a transaction belongs to. */
import { ApiError } from '@causeway/core'
import { envelope, ListedSwap, SwapDetails, SwapsQuery, TransactionHashParams } from '@causeway/sdk'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Services } from '../services.ts'
import { findByTransaction, listSwaps } from '../store/listing.ts'
import { readSwapView } from '../store/reading.ts'
import { filterOf, type ListRequest } from '../swaps/listing.ts'
import { appOf } from './auth.ts'
import { presentSwapDetails } from './present/swap.ts'
import { viewpointOf } from './present/viewpoint.ts'
import type { Api } from './schema.ts'

export function swapListRoutes(api: Api, services: Services): void {
  const list = async (request: FastifyRequest, query: SwapsQuery) => {
    const asked = listRequestOf(query)
    const isOpen = asked.addresses.length === 0 && asked.referenceId === null
    const appId = isOpen ? appOf(request) : null
    if (isOpen && appId === null) {
      const message = 'is needed without an API key, or else a reference_id'
      throw new ApiError('VALIDATION_ERROR', `address ${message}.`, { address: message })
    }
    const views = await listSwaps(services.database, services.catalogue, filterOf(services, { ...asked, appId }))
    const viewpoint = viewpointOf(services, request)
    return { data: views.map((view) => presentSwapDetails(viewpoint, view)) }
  }
  const schema = { querystring: SwapsQuery, response: { 200: envelope(z.array(ListedSwap)) } }
  api.get('/swaps', { schema }, async (request) => list(request, request.query))
  for (const alias of ['/swaps/internal', '/internal/swaps'])
    api.get(alias, { schema }, async (request) => list(request, request.query))

  api.get(
    '/swaps/by_transaction_hash/:transactionHash',
    { schema: { params: TransactionHashParams, response: { 200: envelope(SwapDetails) } } },
    async (request) => {
      const { transactionHash: hash } = request.params
      const [id] = await findByTransaction(services.database, hash)
      const view = id === undefined ? null : await readSwapView(services.database, services.catalogue, id)
      if (!view) throw new ApiError('NOT_FOUND', `There is no swap with a transaction ${hash}.`)
      return { data: { ...presentSwapDetails(viewpointOf(services, request), view), deposit_actions: [] } }
    },
  )
}

export function listRequestOf(query: SwapsQuery): ListRequest {
  return {
    addresses: [...(query.address ?? []), ...(query.addresses ?? [])],
    referenceId: query.reference_id ?? null,
    appId: null,
    statuses: query.statuses ?? [],
    includeExpired: query.include_expired,
    networks: query.networks ?? [],
    page: query.page,
  }
}
