/** Webhook endpoints and their deliveries. A delivery is stored with its status change. */
import type { Status } from '@causeway/core'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type EndpointRow = Selectable<Schema['webhook_endpoint']>
export type DeliveryRow = Selectable<Schema['webhook_delivery']>

export async function insertEndpoint(
  queries: Queries,
  endpoint: { appId: string; url: string; secret: string; eventTypes: string[] | null },
): Promise<EndpointRow> {
  const { appId: app_id, url, secret, eventTypes: event_types } = endpoint
  return queries
    .insertInto('webhook_endpoint')
    .values({ app_id, url, secret, event_types })
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'url']).doUpdateSet({ secret, event_types, disabled_at: null }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function listEndpoints(queries: Queries, appId: string): Promise<EndpointRow[]> {
  return queries
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('app_id', '=', appId)
    .where('disabled_at', 'is', null)
    .orderBy('created_at')
    .execute()
}

/** Null if the app has no such endpoint. */
export async function setEventTypes(
  queries: Queries,
  appId: string,
  id: string,
  eventTypes: string[] | null,
): Promise<EndpointRow | null> {
  const row = await queries
    .updateTable('webhook_endpoint')
    .set({ event_types: eventTypes })
    .where('id', '=', id)
    .where('app_id', '=', appId)
    .where('disabled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function disableEndpoint(queries: Queries, appId: string, id: string, now: Date): Promise<boolean> {
  const rows = await queries
    .updateTable('webhook_endpoint')
    .set({ disabled_at: now })
    .where('id', '=', id)
    .where('app_id', '=', appId)
    .where('disabled_at', 'is', null)
    .returning('id')
    .execute()
  return rows.length === 1
}

export async function insertDeliveries(
  queries: Queries,
  endpointIds: string[],
  delivery: { swapId: string; status: Status; body: string; now: Date; giveUpAt: Date },
): Promise<void> {
  await storeDeliveries(queries, endpointIds, delivery)
}

/** Stores a test event, which is sent only once: a tester wants the first answer. Returns the id of the message. */
export async function insertTestDelivery(
  queries: Queries,
  endpointId: string,
  { body, now }: { body: string; now: Date },
): Promise<string> {
  const test = { swapId: null, status: null, body, now, giveUpAt: now }
  const [messageId = ''] = await storeDeliveries(queries, [endpointId], test)
  return messageId
}

async function storeDeliveries(
  queries: Queries,
  endpointIds: string[],
  delivery: { swapId: string | null; status: Status | null; body: string; now: Date; giveUpAt: Date },
): Promise<string[]> {
  const rows = await queries
    .insertInto('webhook_delivery')
    .values(
      endpointIds.map((endpoint_id) => ({
        endpoint_id,
        swap_id: delivery.swapId,
        status: delivery.status,
        body: delivery.body,
        created_at: delivery.now,
        next_at: delivery.now,
        give_up_at: delivery.giveUpAt,
      })),
    )
    .returning('message_id')
    .execute()
  return rows.map(({ message_id }) => message_id)
}

export interface ListedDelivery extends Omit<DeliveryRow, 'body'> {
  app: string
  url: string
}

/** The newest deliveries of an app or of all apps, filtered by state: waiting, given up, or delivered. */
export async function listDeliveries(
  queries: Queries,
  { app, state, limit }: { app: string | null; state: 'waiting' | 'given up' | 'delivered' | null; limit: number },
): Promise<ListedDelivery[]> {
  const { rows } = await sql<ListedDelivery>`
    select delivery.id, endpoint_id, swap_id, subject_id, status, delivery.created_at, attempts, next_at, delivered_at, failed_at,
      last_error, message_id, give_up_at, app.name as app, endpoint.url
    from webhook_delivery delivery join webhook_endpoint endpoint on endpoint.id = endpoint_id join app on app.id = app_id
    where ${app === null ? sql`true` : sql`app.name = ${app}`} and ${IN_STATE[state ?? 'any']}
    order by delivery.id desc limit ${limit}`.execute(queries)
  return rows
}

const IN_STATE = {
  any: sql`true`,
  waiting: sql`delivered_at is null and failed_at is null`,
  'given up': sql`failed_at is not null`,
  delivered: sql`delivered_at is not null`,
}

export async function readDelivery(queries: Queries, id: bigint): Promise<DeliveryRow | null> {
  const row = await queries.selectFrom('webhook_delivery').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** The number of swap events that were given up since this time. */
export async function countGivenUp(queries: Queries, since: Date): Promise<number> {
  const { count } = await queries
    .selectFrom('webhook_delivery')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('failed_at', '>', since)
    .where('swap_id', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Queues delivered or abandoned events again, as if they had just happened. Returns the deliveries. */
export async function replayDeliveries(
  queries: Queries,
  appId: string,
  swapId: string,
  times: { now: Date; giveUpAt: Date },
): Promise<{ endpointId: string }[]> {
  return queries
    .updateTable('webhook_delivery')
    .set({ delivered_at: null, failed_at: null, attempts: 0, next_at: times.now, give_up_at: times.giveUpAt })
    .where('swap_id', '=', swapId)
    .where('endpoint_id', 'in', (eb) =>
      eb
        .selectFrom('webhook_endpoint')
        .select('webhook_endpoint.id')
        .where('app_id', '=', appId)
        .where('disabled_at', 'is', null),
    )
    .returning('endpoint_id as endpointId')
    .execute()
}

/** Deletes the oldest finished deliveries, a bounded number at a time. */
export async function forgetDeliveries(queries: Queries, before: Date, limit: number): Promise<void> {
  await sql`delete from webhook_delivery where id = any(array(
    select id from webhook_delivery where created_at < ${before} and (delivered_at is not null or failed_at is not null)
    order by created_at limit ${limit}))`.execute(queries)
}
