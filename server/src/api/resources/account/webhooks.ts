/** An app's webhook endpoints: add, list, choose events, test, remove, and replay a swap's events. Needs a secret key. */
import { ApiError } from '@causeway/core'
import {
  CreatedWebhook,
  CreateWebhookBody,
  envelope,
  Nothing,
  ReplayBody,
  Replayed,
  TestedWebhook,
  UpdateWebhookBody,
  WebhookEndpoint,
  WebhookParams,
} from '@causeway/sdk'
import { z } from 'zod'
import { makeWebhookSecret } from '../../../apps/accounts.ts'
import { giveUpAt, MAX_ENDPOINTS, testEvent, urlProblem } from '../../../apps/webhooks.ts'
import type { Services } from '../../../services.ts'
import {
  disableEndpoint,
  type EndpointRow,
  insertEndpoint,
  insertTestDelivery,
  listEndpoints,
  replayDeliveries,
  setEventTypes,
} from '../../../store/apps/webhooks.ts'
import { appActor } from '../../../store/operators/actor.ts'
import { insertAudit } from '../../../store/operators/audit.ts'
import { type Caller, callerOf } from '../../access/auth.ts'
import type { Api } from '../../http/schema.ts'

export function webhookRoutes(api: Api, services: Services): void {
  const { database, config, now } = services

  api.post(
    '/webhooks',
    { schema: { body: CreateWebhookBody, response: { 200: envelope(CreatedWebhook) } } },
    async (request) => {
      const caller = callerOf(request)
      const { url, event_types: eventTypes = null } = request.body
      const problem = urlProblem(url, config.allowPrivateWebhooks)
      if (problem) throw invalid(problem)
      const secret = makeWebhookSecret()
      const endpoint = await database.transaction().execute(async (queries) => {
        const others = (await listEndpoints(queries, caller.appId)).filter((known) => known.url !== url)
        if (others.length >= MAX_ENDPOINTS) throw invalid(`is one too many: an app has at most ${MAX_ENDPOINTS}`)
        await insertAudit(queries, {
          actor: actorOf(caller),
          action: 'webhook added',
          data: { app: caller.appName, url, ...(eventTypes ? { eventTypes } : {}) },
        })
        return insertEndpoint(queries, { appId: caller.appId, url, secret, eventTypes })
      })
      return { data: { ...presentEndpoint(endpoint), secret } }
    },
  )

  api.get('/webhooks', { schema: { response: { 200: envelope(z.array(WebhookEndpoint)) } } }, async (request) => {
    const endpoints = await listEndpoints(database, callerOf(request).appId)
    return { data: endpoints.map(presentEndpoint) }
  })

  api.patch(
    '/webhooks/:webhookId',
    { schema: { params: WebhookParams, body: UpdateWebhookBody, response: { 200: envelope(WebhookEndpoint) } } },
    async (request) => {
      const caller = callerOf(request)
      const { webhookId } = request.params
      const { event_types: eventTypes } = request.body
      const endpoint = await database.transaction().execute(async (queries) => {
        const changed = await setEventTypes(queries, caller.appId, webhookId, eventTypes)
        if (!changed) throw unknown(webhookId)
        const data = { app: caller.appName, id: webhookId, eventTypes: eventTypes ?? 'all' }
        await insertAudit(queries, { actor: actorOf(caller), action: 'webhook events chosen', data })
        return changed
      })
      return { data: presentEndpoint(endpoint) }
    },
  )

  api.post(
    '/webhooks/:webhookId/test',
    { schema: { params: WebhookParams, response: { 200: envelope(TestedWebhook) } } },
    async (request) => {
      const caller = callerOf(request)
      const { webhookId } = request.params
      const id = await database.transaction().execute(async (queries) => {
        const known = await listEndpoints(queries, caller.appId)
        if (!known.some((endpoint) => endpoint.id === webhookId)) throw unknown(webhookId)
        const at = now()
        const messageId = await insertTestDelivery(queries, webhookId, { body: testEvent(webhookId, at), now: at })
        const data = { app: caller.appName, id: webhookId }
        await insertAudit(queries, { actor: actorOf(caller), action: 'webhook tested', data })
        return messageId
      })
      return { data: { message_id: `msg_${id}` } }
    },
  )

  api.delete(
    '/webhooks/:webhookId',
    { schema: { params: WebhookParams, response: { 200: envelope(Nothing) } } },
    async (request) => {
      const caller = callerOf(request)
      const { webhookId } = request.params
      await database.transaction().execute(async (queries) => {
        if (!(await disableEndpoint(queries, caller.appId, webhookId, now()))) {
          throw unknown(webhookId)
        }
        const data = { app: caller.appName, id: webhookId }
        await insertAudit(queries, { actor: actorOf(caller), action: 'webhook removed', data })
      })
      return { data: {} }
    },
  )

  api.post(
    '/webhooks/replay',
    { schema: { body: ReplayBody, response: { 200: envelope(Replayed) } } },
    async (request) => {
      const caller = callerOf(request)
      const { swap_id: swapId } = request.body
      const times = { now: now(), giveUpAt: giveUpAt(now()) }
      const deliveries = await database.transaction().execute(async (queries) => {
        const replayed = await replayDeliveries(queries, caller.appId, swapId, times)
        const data = { app: caller.appName, swapId, deliveries: replayed.length }
        await insertAudit(queries, { actor: actorOf(caller), action: 'webhooks replayed', data })
        return replayed.length
      })
      if (deliveries === 0) throw new ApiError('NOT_FOUND', `No webhook events exist for swap ${swapId} in this app.`)
      return { data: { deliveries } }
    },
  )
}

function presentEndpoint({ id, url, event_types, created_at }: EndpointRow): WebhookEndpoint {
  const types = event_types as WebhookEndpoint['event_types']
  return { id, url, event_types: types, created_date: created_at.toISOString() }
}

function unknown(webhookId: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no webhook ${webhookId}.`)
}

function actorOf({ appName, keyId }: Caller): string {
  return appActor(appName, keyId)
}

function invalid(problem: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `url ${problem}.`, { url: problem })
}
