/**
 * Webhook deliveries wait in their table until `next_at`. Of a subject (a swap, or the tests of an endpoint) the oldest one is sent
 * first; later ones wait for it. A process claims what it sends: it moves `next_at` behind the time that sending may take. If the
 * process dies, the delivery is due again then.
 */
import { sql } from 'kysely'
import { inTransaction, type Queries } from '../db/database.ts'
import type { DeliveryRow, EndpointRow } from './webhooks.ts'

const WAITING = sql`delivered_at is null and failed_at is null`
/** Later deliveries of a subject that are moved behind its oldest one at a time. */
const MOVED_AT_ONCE = 100

/** The endpoints that have due deliveries. Costs as much as endpoints have waiting ones, however many these are. */
export async function dueEndpoints(queries: Queries, now: Date): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    with recursive waiting (endpoint_id) as (
      (select endpoint_id from webhook_delivery where ${WAITING} order by endpoint_id limit 1)
      union all
      select (
        select delivery.endpoint_id from webhook_delivery delivery where ${WAITING} and delivery.endpoint_id > waiting.endpoint_id
        order by delivery.endpoint_id limit 1
      ) from waiting where waiting.endpoint_id is not null
    )
    select endpoint.* from waiting join webhook_endpoint endpoint on endpoint.id = waiting.endpoint_id
    cross join lateral (
      select next_at from webhook_delivery where endpoint_id = waiting.endpoint_id and ${WAITING} order by next_at, id limit 1
    ) earliest
    where earliest.next_at <= ${now}`.execute(queries)
  return rows
}

/**
 * Claims the oldest due delivery of an endpoint; expiries come after all else, because strangers can make any number of swaps that
 * expire. `none`: nothing is due, or another process claims it. `blocked`: what is due waits for an
 * earlier delivery of its subject, and was moved behind it; there may be others.
 */
export async function claimDelivery(
  queries: Queries,
  endpointId: string,
  { now, until }: { now: Date; until: Date },
): Promise<DeliveryRow | 'none' | 'blocked'> {
  // Each change of a subject's deliveries locks the oldest one first. One that another process has locked is left to it.
  const { rows } = await sql<DeliveryRow & { claimed: boolean }>`
    with due as (
      select id, subject_id from (
        (select id, subject_id, 0 as place from webhook_delivery where endpoint_id = ${endpointId} and ${WAITING} and next_at <= ${now}
          and status is distinct from 'expired' order by next_at, id limit 1)
        union all
        (select id, subject_id, 1 as place from webhook_delivery where endpoint_id = ${endpointId} and ${WAITING} and next_at <= ${now}
          order by next_at, id limit 1)
      ) earliest order by place limit 1
    ), head as (
      select id, next_at, next_at <= ${now} as is_due from webhook_delivery where ${WAITING} and id = (
        select oldest.id from due join webhook_delivery oldest on oldest.endpoint_id = ${endpointId} and oldest.subject_id = due.subject_id
        where ${WAITING} order by oldest.id limit 1
      ) for update skip locked
    ), later as (
      select next.id from due join webhook_delivery next on next.endpoint_id = ${endpointId} and next.subject_id = due.subject_id
      where ${WAITING} and next.next_at <= ${now} order by next.id limit ${MOVED_AT_ONCE}
    )
    update webhook_delivery delivery set next_at = case when head.is_due then ${until} else head.next_at end
    from head where ${WAITING} and delivery.id = any(array(
      select id from head union all select id from due union all select id from later
    ))
    returning delivery.*, delivery.id = head.id and head.is_due as claimed`.execute(queries)
  const claimed = rows.find((row) => row.claimed)
  if (!claimed) return rows.length > 0 ? 'blocked' : 'none'
  const { claimed: _, ...delivery } = claimed
  return delivery
}

/** Gives a claim back: the delivery is due again and does not count as tried. */
export async function releaseDelivery(queries: Queries, id: bigint, now: Date): Promise<void> {
  await sql`update webhook_delivery set next_at = ${now} where id = ${id} and ${WAITING}`.execute(queries)
}

interface Attempt {
  at: Date
  /** Null if the endpoint accepted the event. */
  error: string | null
  /** When it is tried again; null if it was accepted or is given up. */
  nextAt: Date | null
}

/** Records an attempt. If the delivery is done with, the next one of its subject is due. */
export async function recordAttempt(
  queries: Queries,
  delivery: Pick<DeliveryRow, 'id' | 'endpoint_id' | 'subject_id'>,
  attempt: Attempt,
): Promise<void> {
  const { at, error, nextAt } = attempt
  await inTransaction(queries, async (transaction) => {
    await transaction
      .updateTable('webhook_delivery')
      .set((eb) => ({
        attempts: eb('attempts', '+', 1),
        delivered_at: error === null ? at : null,
        failed_at: error !== null && nextAt === null ? at : null,
        last_error: error,
        ...(nextAt ? { next_at: nextAt } : {}),
      }))
      .where('id', '=', delivery.id)
      .where('delivered_at', 'is', null)
      .where('failed_at', 'is', null)
      .execute()
    if (nextAt) return
    await sql`
      update webhook_delivery set next_at = least(next_at, ${at}) where id = (
        select id from webhook_delivery where endpoint_id = ${delivery.endpoint_id} and subject_id = ${delivery.subject_id}
        and ${WAITING} order by id limit 1
      )`.execute(transaction)
  })
}

/** Gives up what waits for a removed endpoint, a bounded number at a time. */
export async function discardDeliveries(
  queries: Queries,
  endpointId: string,
  { now, error, limit }: { now: Date; error: string; limit: number },
): Promise<void> {
  await sql`
    update webhook_delivery set failed_at = ${now}, last_error = ${error} where ${WAITING} and id = any(array(
      select id from webhook_delivery where endpoint_id = ${endpointId} and ${WAITING} order by next_at, id limit ${limit}
    ))`.execute(queries)
}
