/**
 * Sends webhooks to apps. An event is stored with its status change and sent when its turn comes (`dispatch.ts`). Events of a
 * swap are sent oldest first; the next one waits until the former is accepted, or given up after days. A crash sends an event at
 * most twice.
 */
import type { Status, Swap } from '@causeway/core'
import { eventOfSwap, giveUpAt, RETRY_DELAYS_MS, wants } from '../../apps/webhooks.ts'
import type { Services } from '../../services.ts'
import { claimDelivery, discardDeliveries, recordAttempt, releaseDelivery } from '../../store/apps/webhook-queue.ts'
import {
  type DeliveryRow,
  type EndpointRow,
  forgetDeliveries,
  insertDeliveries,
  listEndpoints,
} from '../../store/apps/webhooks.ts'
import type { Queries } from '../../store/db/database.ts'
import { postWebhook } from './deliver.ts'

/** How long a claim holds: longer than a request may take, and not much, because a crash delays the delivery by it. */
const CLAIM_MS = 30_000
const DISCARDED_AT_ONCE = 1_000
const DAY_MS = 24 * 3_600_000
const FORGOTTEN_AT_ONCE = 1_000

/** Stores the events of a swap's new status, in the same transaction. */
export async function enqueueWebhooks(
  services: Services,
  queries: Queries,
  appId: string | null,
  before: Status,
  swap: Swap,
): Promise<void> {
  const [was, is] = [shownStatus(services, before), shownStatus(services, swap.status)]
  if (appId === null || was === is) return
  const type = `swap.${is}` as const
  const endpoints = (await listEndpoints(queries, appId)).filter((known) => wants(known, type)).map(({ id }) => id)
  if (endpoints.length === 0) return
  const now = services.now()
  const body = eventOfSwap(type, now, await services.describeSwap(queries, swap.id, appId))
  await insertDeliveries(queries, endpoints, {
    swapId: swap.id,
    status: swap.status,
    body,
    now,
    giveUpAt: giveUpAt(now),
  })
}

/** If both refund states are shown as one status, a change between them is not an event. */
function shownStatus({ config }: Services, status: Status): Status {
  return config.oneRefundStatus && status === 'refund_pending' ? 'pending_refund' : status
}

/** Claims the endpoint's oldest due delivery. */
export function claimNext(services: Services, endpointId: string): Promise<DeliveryRow | 'none' | 'blocked'> {
  const now = services.now()
  return claimDelivery(services.database, endpointId, { now, until: new Date(now.getTime() + CLAIM_MS) })
}

/** Sends a claimed delivery. `signal` ends the process's work: then the delivery is due again. */
export async function sendDelivery(
  services: Services,
  { url, secret }: Pick<EndpointRow, 'url' | 'secret'>,
  delivery: DeliveryRow,
  signal: AbortSignal,
): Promise<void> {
  const from = services.now()
  try {
    const problem = await postWebhook(
      { url, secret, messageId: delivery.message_id, body: delivery.body },
      { now: new Date(), reach: services.config.allowPrivateWebhooks, signal },
    )
    traceDelivery(services, delivery, from, problem)
    await conclude(services, delivery, problem)
  } catch (error) {
    if (!signal.aborted) throw error
    await releaseDelivery(services.database, delivery.id, services.now())
  }
}

/** Gives up what waits for a removed endpoint. */
export async function discard(services: Services, endpointId: string): Promise<void> {
  const removed = { now: services.now(), error: 'the endpoint was removed', limit: DISCARDED_AT_ONCE }
  await discardDeliveries(services.database, endpointId, removed)
}

function traceDelivery(services: Services, delivery: DeliveryRow, from: Date, problem: string | null): void {
  const { swap_id, endpoint_id, status, attempts } = delivery
  services.traces.add(swap_id, {
    ...{ name: 'webhook delivered', from, to: services.now() },
    attributes: { 'webhook.endpoint': endpoint_id, 'swap.status': status, 'webhook.attempt': attempts },
    ...(problem === null ? {} : { problem }),
  })
}

async function conclude(services: Services, delivery: DeliveryRow, problem: string | null): Promise<void> {
  const { database, log, metrics } = services
  const now = services.now()
  const fields = { swapId: delivery.swap_id, endpointId: delivery.endpoint_id, status: delivery.status }
  if (problem === null) {
    metrics.webhooks.inc({ outcome: 'delivered' })
    await recordAttempt(database, delivery, { at: now, error: null, nextAt: null })
    return log.info(fields, 'webhook delivered')
  }
  const delay = RETRY_DELAYS_MS[delivery.attempts]
  const nextAt = new Date(now.getTime() + (delay ?? 0))
  if (delay === undefined || nextAt > delivery.give_up_at) {
    // A failed test event must not raise the alert about lost events.
    metrics.webhooks.inc({ outcome: delivery.swap_id === null ? 'failed' : 'given up' })
    await recordAttempt(database, delivery, { at: now, error: problem, nextAt: null })
    return log.warn({ ...fields, problem }, 'webhook given up')
  }
  metrics.webhooks.inc({ outcome: 'failed' })
  await recordAttempt(database, delivery, { at: now, error: problem, nextAt })
  log.info({ ...fields, problem, attempts: delivery.attempts + 1 }, 'webhook failed')
}

/** Delivered events and those given up are kept for a time, to be replayed and for disputes about a delivery. */
export async function forgetOldDeliveries(services: Services): Promise<void> {
  const before = new Date(services.now().getTime() - services.config.webhookKeepDays * DAY_MS)
  await forgetDeliveries(services.database, before, FORGOTTEN_AT_ONCE)
}
