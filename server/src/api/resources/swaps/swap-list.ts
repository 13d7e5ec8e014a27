/** Lists of swaps: by address, by app, by reference; and one swap by transaction hash. */
import { ApiError } from '@causeway/core'
import { envelope, LAST_PAGE, ListedSwap, SwapDetails, SwapsQuery, TransactionHashParams } from '@causeway/sdk'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import { findByTransaction, listSwaps } from '../../../store/swaps/swap-list.ts'
import { readSwapView, type SwapView } from '../../../store/swaps/swap-read.ts'
import { filterOf, type ListRequest } from '../../../swaps/listing.ts'
import { secretAppOf } from '../../access/auth.ts'
import type { ClientQueue } from '../../access/client-queue.ts'
import { type Api, sendText } from '../../http/schema.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'
import { presentSwapDetails, seesReference } from '../../present/swap.ts'
import { sendCsv, wantsCsv } from './swap-csv.ts'
import { NO_ROWS, type SwapRows } from './swap-rows.ts'
import { withActions } from './swaps.ts'

export function swapListRoutes(
  api: Api,
  services: Services,
  { turns, rows }: { turns: ClientQueue; rows: SwapRows },
): void {
  const list = async (request: FastifyRequest & { query: SwapsQuery }, reply: FastifyReply) => {
    const asked = listRequestOf(request)
    const isOpen = asked.addresses.length === 0 && asked.referenceId === null
    if (isOpen && !request.caller) {
      const message = 'is needed without an API key, or else a reference_id'
      throw new ApiError('VALIDATION_ERROR', `address ${message}.`, { address: message })
    }
    const owner = isOpen ? { appId: secretAppOf(request) } : asked.owner
    // A public key is not bound to one person, so it lists no swaps.
    const isEmpty = (isOpen && owner?.appId === null) || (asked.page > LAST_PAGE && asked.cursor === null)
    const viewpoint = presentationContextOf(services, request)
    const withReference = asked.addresses.length === 0
    const present = (view: SwapView) => presentSwapDetails(viewpoint, view, withReference)
    const filter = filterOf(services, { ...asked, owner })
    if (wantsCsv(request)) {
      const read = () => listSwaps(services.reading, services.catalogue, filter)
      const views = isEmpty ? [] : await turns(request, reply, read)
      return sendCsv(reply, views.map(present))
    }
    const variant = `list ${withReference} ${viewpoint.baseUrl}`
    const list = isEmpty ? NO_ROWS : await turns(request, reply, () => rows({ filter, variant, present }))
    return sendText(reply, list)
  }
  const schema = { querystring: SwapsQuery, response: { 200: envelope(z.array(ListedSwap)) } }
  for (const path of ['/swaps', '/swaps/internal', '/internal/swaps'])
    api.get(path, { schema }, async (request, reply) => list(request, reply))

  api.get(
    '/swaps/by_transaction_hash/:transactionHash',
    { schema: { params: TransactionHashParams, response: { 200: envelope(SwapDetails) } } },
    async (request) => {
      const { transactionHash: hash } = request.params
      const [id] = await findByTransaction(services.reading, hash)
      const view = id === undefined ? null : await readSwapView(services.polling, services.catalogue, id)
      if (!view) throw new ApiError('NOT_FOUND', `There is no swap with a transaction ${hash}.`)
      const withReference = seesReference(view, secretAppOf(request))
      const viewpoint = presentationContextOf(services, request)
      const details = presentSwapDetails(viewpoint, view, withReference)
      return { data: await withActions(services, viewpoint, view, details) }
    },
  )
}

/**
 * A reference finds only the caller's own swaps: an app's by its secret key, otherwise those that were created without
 * a key.
 */
export function listRequestOf(request: FastifyRequest & { query: SwapsQuery }): ListRequest {
  const { query } = request
  const referenceId = query.reference_id ?? null
  return {
    addresses: [...(query.address ?? []), ...(query.addresses ?? [])],
    referenceId,
    owner: referenceId === null ? null : { appId: secretAppOf(request) },
    statuses: query.statuses ?? [],
    includeExpired: query.include_expired,
    networks: query.networks ?? [],
    source: query.source_network ?? null,
    destination: query.destination_network ?? null,
    createdFrom: query.created_from ? new Date(query.created_from) : null,
    createdBefore: query.created_before ? new Date(query.created_before) : null,
    cursor: query.cursor ?? null,
    page: query.page,
  }
}
