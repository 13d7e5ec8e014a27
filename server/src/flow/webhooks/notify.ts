/**
 * Sends webhooks to apps. An event is stored with its status change and sent here. Events of a swap are sent oldest
 * first; the next one waits until the former is accepted, or given up after days. A crash sends an event at most twice.
 */
import type { Status, Swap } from '@causeway/core'
import { eventOfSwap, giveUpAt, RETRY_DELAYS_MS, wants } from '../../apps/webhooks.ts'
import type { Services } from '../../services.ts'
import {
  type DeliveryRow,
  forgetDeliveries,
  forgottenDeliveries,
  insertDeliveries,
  listEndpoints,
  nextDelivery,
  recordAttempt,
  type Told,
} from '../../store/apps/webhooks.ts'
import type { Queries } from '../../store/db/database.ts'
import { addJob, notifyJob } from '../../store/db/jobs.ts'
import { NO_ANSWER, postWebhook } from './deliver.ts'
import type { Slot } from './slots.ts'

/** Events per job. A swap has only a few changes; a job that finds more yields to the others. */
const BATCH = 20
const REMINDED = 200
const DAY_MS = 24 * 3_600_000
const FORGOTTEN_AT_ONCE = 1_000
/** How long a due delivery may wait in the queue before its job counts as lost. */
const FORGOTTEN_AFTER_MS = 30_000

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
  for (const endpointId of endpoints) await addJob(queries, notifyJob(endpointId, swap.id))
}

/** If both refund states are shown as one status, a change between them is not an event. */
function shownStatus({ config }: Services, status: Status): Status {
  return config.oneRefundStatus && status === 'refund_pending' ? 'pending_refund' : status
}

/** `signal` ends the process's work; the slot may be needed for another delivery. In both cases the job runs again. */
export async function notify(
  services: Services,
  endpointId: string,
  subjectId: string,
  signal: AbortSignal,
  slot?: Slot,
): Promise<void> {
  const stop = slot ? AbortSignal.any([signal, slot.signal]) : signal
  const again = (at?: Date) => addJob(services.database, notifyJob(endpointId, subjectId), at)
  for (let sent = 0; sent < BATCH; sent++) {
    const next = await nextDelivery(services.database, endpointId, subjectId)
    if (!next) return
    const { delivery, endpoint } = next
    if (delivery.next_at > services.now()) return again(delivery.next_at)
    if (endpoint.disabled_at) {
      await recordAttempt(services.database, delivery.id, {
        failedAt: services.now(),
        error: 'the endpoint was removed',
      })
      continue
    }
    const from = services.now()
    try {
      const problem = await postWebhook(
        { url: endpoint.url, secret: endpoint.secret, messageId: delivery.message_id, body: delivery.body },
        { now: new Date(), reach: services.config.allowPrivateWebhooks, signal: stop },
      )
      slot?.answered(problem !== NO_ANSWER)
      traceDelivery(services, delivery, from, problem)
      await conclude(services, delivery, problem)
    } catch (error) {
      if (!stop.aborted) throw error
      return again()
    }
  }
  await again()
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
    await recordAttempt(database, delivery.id, { deliveredAt: now })
    return log.info(fields, 'webhook delivered')
  }
  const delay = RETRY_DELAYS_MS[delivery.attempts]
  const nextAt = new Date(now.getTime() + (delay ?? 0))
  if (delay === undefined || nextAt > delivery.give_up_at) {
    // A failed test event must not raise the alert about lost events.
    metrics.webhooks.inc({ outcome: delivery.swap_id === null ? 'failed' : 'given up' })
    await recordAttempt(database, delivery.id, { failedAt: now, error: problem })
    return log.warn({ ...fields, problem }, 'webhook given up')
  }
  metrics.webhooks.inc({ outcome: 'failed' })
  await recordAttempt(database, delivery.id, { nextAt, error: problem })
  log.info({ ...fields, problem, attempts: delivery.attempts + 1 }, 'webhook failed')
}

/** Delivered events and those given up are kept for a time, to be replayed and for disputes about a delivery. */
export async function forgetOldDeliveries(services: Services): Promise<void> {
  const before = new Date(services.now().getTime() - services.config.webhookKeepDays * DAY_MS)
  await forgetDeliveries(services.database, before, FORGOTTEN_AT_ONCE)
}

/**
 * Requeues the job of every due delivery, in case the job was lost, a batch at a time starting after `after`. Returns
 * where to continue; null at the end. Jobs do not pile up.
 */
export async function requeueDeliveries({ database, now }: Services, after: Told | null = null): Promise<Told | null> {
  const before = new Date(now().getTime() - FORGOTTEN_AFTER_MS)
  const { forgotten, next } = await forgottenDeliveries(database, { before, after, limit: REMINDED })
  for (const { endpointId, subjectId } of forgotten) await addJob(database, notifyJob(endpointId, subjectId))
  return next
}
