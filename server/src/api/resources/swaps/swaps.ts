/** Swaps: create, read, deposit actions, and a hint about a sent deposit. */
import { ApiError, RetryLater } from '@causeway/core'
import {
  CreatedSwap,
  CreateSwapBody,
  DepositAction,
  DepositActionsQuery,
  envelope,
  Nothing,
  SpeedupBody,
  SwapDetails,
  SwapParams,
  SwapQuery,
} from '@causeway/sdk'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import { addJob, hintJob } from '../../../store/db/jobs.ts'
import { readArchivedAt, readSourceNetwork, readSwapView, type SwapView } from '../../../store/swaps/swap-read.ts'
import type { CreatedSwap as Created } from '../../../swaps/create-swap.ts'
import { depositActions } from '../../../swaps/deposit-actions.ts'
import { createOnce } from '../../../swaps/idempotent-create.ts'
import type { SwapRequest } from '../../../swaps/request.ts'
import { appOf, secretAppOf } from '../../access/auth.ts'
import { idempotencyKeyOf } from '../../access/idempotency.ts'
import { addressOf, networksAbove } from '../../access/rate-limit.ts'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { toJson } from '../../http/json.ts'
import { type Api, sendText } from '../../http/schema.ts'
import { presentDepositActions } from '../../present/deposit-action.ts'
import { type PresentationContext, presentationContextOf } from '../../present/presentation-context.ts'
import { signed } from '../../present/signature.ts'
import { askedToken, presentSwapDetails, seesReference } from '../../present/swap.ts'
import { routeOf } from './quote.ts'

export function swapsRoutes(api: Api, services: Services, answers: ResponseCache): void {
  api.post(
    '/swaps',
    { schema: { body: CreateSwapBody, response: { 200: envelope(CreatedSwap) } } },
    async (request, reply) => {
      const viewpoint = presentationContextOf(services, request)
      const from = services.now()
      const describe = async ({ view, actions }: Created) => {
        traceCreation(services, request, view, from)
        const shown = presentDepositActions(viewpoint, askedToken(view.swap), actions)
        const data = await signed(services, { ...presentSwapDetails(viewpoint, view, true), deposit_actions: shown })
        return toJson({ data })
      }
      const text = await createOnce(services, requestOf(request), idempotencyKeyOf(request), describe)
      return sendText(reply, text)
    },
  )

  api.get(
    '/swaps/:swapId',
    { schema: { params: SwapParams, querystring: SwapQuery, response: { 200: envelope(SwapDetails) } } },
    async (request, reply) => {
      const { exclude_deposit_actions: without, source_address: sender } = request.query
      const viewpoint = presentationContextOf(services, request)
      const { swapId } = request.params
      const reader = secretAppOf(request)
      const make = async () => {
        const view = await findSwap(services, swapId)
        const details = presentSwapDetails(viewpoint, view, seesReference(view, reader))
        const data = without
          ? { ...details, deposit_actions: [] }
          : await withActions(services, viewpoint, view, details, sender)
        return { text: toJson({ data }), isClosed: view.swap.closedAt !== null }
      }
      const variant = `${without} ${sender ?? ''} ${reader ?? ''} ${viewpoint.baseUrl}`
      const text = await answers.get(swapId.toLowerCase(), variant, make)
      return sendText(reply, text)
    },
  )

  api.get(
    '/swaps/:swapId/deposit_actions',
    {
      schema: {
        params: SwapParams,
        querystring: DepositActionsQuery,
        response: { 200: envelope(z.array(DepositAction)) },
      },
    },
    async (request) => {
      const view = await findSwap(services, request.params.swapId)
      const actions = await depositActions(services, view, request.query.source_address)
      return { data: presentDepositActions(presentationContextOf(services, request), askedToken(view.swap), actions) }
    },
  )

  api.post(
    '/swaps/:swapId/deposit_speedup',
    { schema: { params: SwapParams, body: SpeedupBody, response: { 200: envelope(Nothing) } } },
    async ({ params, body }) => {
      const network = await readSourceNetwork(services.database, params.swapId)
      if (network === null) throw unknown(params.swapId)
      await addJob(services.database, hintJob(network, body.transaction_id))
      return { data: {} }
    },
  )
}

/** The first span of a swap. A repeated request finds an older swap, which has its first span. */
function traceCreation(services: Services, request: FastifyRequest, { swap, createdAt }: SwapView, from: Date): void {
  if (createdAt < from) return
  const attributes = {
    ...{
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? '',
      'http.request.id': request.id,
    },
    ...{ 'swap.source': swap.source.network, 'swap.destination': swap.destination.network },
  }
  const { traceparent } = request.headers
  services.traces.created(swap.id, { name: 'swap created', from, to: services.now(), attributes, traceparent })
}

function requestOf(request: FastifyRequest & { body: CreateSwapBody }): SwapRequest {
  const { body, id: correlationId } = request
  const client = secretAppOf(request) ?? addressOf(request)
  return {
    ...routeOf(body),
    // A user who wants to send the deposit does not get a gasless one.
    useGasless: body.use_gasless && !body.force_user_execution,
    forceUserExecution: body.force_user_execution,
    amount: body.amount ?? null,
    slippage: body.slippage ?? null,
    destinationAddress: body.destination_address,
    sourceAddress: body.source_address ?? null,
    refundAddress: body.refund_address ?? null,
    useNewDepositAddress: body.use_new_deposit_address,
    referenceId: body.reference_id ?? null,
    appId: appOf(request),
    hasSecretKey: secretAppOf(request) !== null,
    // A public key may be anyone's, so its visitors count by address.
    client,
    clientNetworks: networksAbove(client),
    appName: body.app_name ?? null,
    sourceExchange: body.source_exchange ?? null,
    destinationExchange: body.destination_exchange ?? null,
    correlationId,
  }
}

async function findSwap(services: Services, id: string): Promise<SwapView> {
  const view = await readSwapView(services.polling, services.catalogue, id)
  if (!view) throw (await readArchivedAt(services.polling, id)) ? archived(id) : unknown(id)
  return view
}

/** The whole response of a swap: with its deposit actions, and signed. */
export async function withActions(
  services: Services,
  viewpoint: PresentationContext,
  view: SwapView,
  details: ReturnType<typeof presentSwapDetails>,
  sender?: string,
) {
  const actions = await actionsIfAny(services, view, sender)
  const shown = presentDepositActions(viewpoint, askedToken(view.swap), actions)
  return signed(services, { ...details, deposit_actions: shown })
}

/** A swap can be read even if its deposit actions are unavailable: a node is down, or the family needs the sender. */
async function actionsIfAny(services: Services, view: SwapView, sender: string | undefined) {
  try {
    return await depositActions(services, view, sender)
  } catch (error) {
    if (error instanceof RetryLater || error instanceof ApiError) return []
    throw error
  }
}

function archived(id: string): ApiError {
  return new ApiError('NOT_FOUND', `The swap ${id} was closed long ago and is archived: its operator has the record.`)
}

function unknown(id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no swap ${id}.`)
}
