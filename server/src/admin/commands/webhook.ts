/** `webhook`: endpoints that receive an app's swap events. */
import { SWAP_EVENT_TYPES } from '@causeway/core'
import { makeWebhookSecret } from '../../apps/accounts.ts'
import { eventTypesIn, giveUpAt, MAX_ENDPOINTS, testEvent, urlProblem } from '../../apps/webhooks.ts'
import { listApps } from '../../store/apps/apps.ts'
import {
  type DeliveryRow,
  disableEndpoint,
  insertEndpoint,
  insertTestDelivery,
  listDeliveries,
  listEndpoints,
  readDelivery,
  replayDeliveries,
  setEventTypes,
} from '../../store/apps/webhooks.ts'
import { appNamed, type Command, change, needed, table, UsageError } from '../context/command-context.ts'
import { APP, EVENTS, ID, NUMBER, oneOf, optional, URL_FORM } from '../context/forms.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const SHOWN = 50
const MOST = 1_000
const ALL = 'all'
const STATES = ['waiting', 'given-up', 'delivered'] as const

export const webhookCommands: Record<string, Command> = {
  add: {
    usage: 'add --app NAME --url https://… [--events all|TYPE,TYPE]',
    help: 'Adds an endpoint and shows its secret, this once. The same address again gets a new secret.',
    takes: { options: { app: APP, url: URL_FORM, events: optional(EVENTS) } },
    async run(desk, { values }) {
      const app = await appNamed(desk, needed(values, 'app'))
      const url = needed(values, 'url')
      const eventTypes = chosenTypes(values.events ?? ALL)
      // Private addresses are accepted here; the service's own setting decides whether it delivers to them.
      const problem = urlProblem(url, 'all')
      if (problem) throw new UsageError(`--url ${problem}`)
      const others = (await listEndpoints(desk.database, app.id)).filter((known) => known.url !== url)
      if (others.length >= MAX_ENDPOINTS) throw new UsageError(`${app.name} has ${MAX_ENDPOINTS} endpoints already`)
      const secret = makeWebhookSecret()
      const endpoint = await change(
        desk,
        'webhook added',
        { app: app.name, url, ...(eventTypes ? { eventTypes } : {}) },
        (queries) => insertEndpoint(queries, { appId: app.id, url, secret, eventTypes }),
      )
      desk.print(`\n  ${secret}\n`)
      desk.print(`This is the only time that the secret is shown. The endpoint's id is ${endpoint.id}.`)
      if (urlProblem(url, 'none')) desk.print('This address is delivered to only with ALLOW_PRIVATE_WEBHOOKS.')
    },
  },
  list: {
    usage: 'list [--app NAME]',
    help: 'Lists the endpoints of an app, or of all.',
    takes: { options: { app: optional(APP) } },
    async run(desk, { values }) {
      const { app: name } = values
      const apps = name ? [await appNamed(desk, name)] : await listApps(desk.database)
      const rows: string[][] = []
      for (const app of apps) {
        for (const { id, url, event_types, created_at } of await listEndpoints(desk.database, app.id))
          rows.push([id, app.name, url, event_types?.join(', ') ?? ALL, created_at.toISOString()])
      }
      if (rows.length === 0) return desk.print(name ? `${name} has no webhook` : 'no app has a webhook')
      table(desk, ['id', 'app', 'url', 'events', 'created'], rows)
    },
  },
  deliveries: {
    usage: `deliveries [--app NAME] [--state ${STATES.join('|')}] [--last ${SHOWN}]`,
    help: 'Lists the newest deliveries: of which swap, how often they were tried, and what the other side answered.',
    takes: { options: { app: optional(APP), state: optional(oneOf(STATES)), last: optional(NUMBER) } },
    async run(desk, { values }) {
      const app = values.app ? (await appNamed(desk, values.app)).name : null
      const state = values.state === undefined ? null : STATES.find((known) => known === values.state)
      if (state === undefined) throw new UsageError(`--state is one of ${STATES.join(', ')}`)
      const limit = Number(values.last ?? SHOWN)
      if (!(Number.isInteger(limit) && limit > 0 && limit <= MOST)) throw new UsageError(`--last is 1 to ${MOST}`)
      const rows = await listDeliveries(desk.database, { app, state: state === 'given-up' ? 'given up' : state, limit })
      if (rows.length === 0) return desk.print('there is no such delivery')
      table(
        desk,
        ['delivery', 'app', 'url', 'swap', 'status', 'state', 'tries', 'last answer', 'created'],
        rows.map((row) => [
          `${row.id}`,
          row.app,
          row.url,
          row.swap_id ?? '',
          row.status ?? 'test',
          stateOf(row),
          `${row.attempts}`,
          row.last_error ?? '',
          row.created_at.toISOString(),
        ]),
      )
    },
  },
  body: {
    usage: 'body --id DELIVERY',
    help: 'Prints the body of a delivery, as it is sent.',
    takes: { options: { id: NUMBER } },
    async run(desk, { values }) {
      const id = needed(values, 'id')
      const row = /^\d{1,18}$/.test(id) ? await readDelivery(desk.database, BigInt(id)) : null
      if (!row) throw new UsageError(`there is no delivery ${id}; "webhook deliveries" shows the newest`)
      desk.print(row.body)
    },
  },
  events: {
    usage: 'events --app NAME --id WEBHOOK_ID --events all|TYPE,TYPE',
    help: `Chooses the types of events that an endpoint receives from now on. Types: ${SWAP_EVENT_TYPES.join(', ')}.`,
    takes: { options: { app: APP, id: ID, events: EVENTS } },
    async run(desk, { values }) {
      const app = await appNamed(desk, needed(values, 'app'))
      const id = endpointNamed(app.name, needed(values, 'id'))
      const eventTypes = chosenTypes(needed(values, 'events'))
      const data = { app: app.name, id, eventTypes: eventTypes ?? ALL }
      await change(desk, 'webhook events chosen', data, async (queries) => {
        if (!(await setEventTypes(queries, app.id, id, eventTypes))) throw unknownEndpoint(app.name, id)
      })
      desk.print(`the webhook ${id} receives: ${eventTypes?.join(', ') ?? 'all events'}`)
    },
  },
  test: {
    usage: 'test --app NAME --id WEBHOOK_ID',
    help: 'Sends a signed event of type webhook.test to an endpoint, once. "webhook deliveries" shows the answer.',
    takes: { options: { app: APP, id: ID } },
    async run(desk, { values }) {
      const app = await appNamed(desk, needed(values, 'app'))
      const id = endpointNamed(app.name, needed(values, 'id'))
      const at = desk.now()
      const messageId = await change(desk, 'webhook tested', { app: app.name, id }, async (queries) => {
        const known = await listEndpoints(queries, app.id)
        if (!known.some((endpoint) => endpoint.id === id)) throw unknownEndpoint(app.name, id)
        return insertTestDelivery(queries, id, { body: testEvent(id, at), now: at })
      })
      desk.print(`the test event msg_${messageId} is being sent; "webhook deliveries" shows the answer`)
    },
  },
  remove: {
    usage: 'remove --app NAME --id WEBHOOK_ID',
    help: 'Removes an endpoint. Undelivered events are discarded.',
    takes: { options: { app: APP, id: ID } },
    async run(desk, { values }) {
      const app = await appNamed(desk, needed(values, 'app'))
      const id = endpointNamed(app.name, needed(values, 'id'))
      await change(desk, 'webhook removed', { app: app.name, id }, async (queries) => {
        if (!(await disableEndpoint(queries, app.id, id, desk.now()))) throw unknownEndpoint(app.name, id)
      })
      desk.print(`the webhook ${id} is removed`)
    },
  },
  replay: {
    usage: 'replay --app NAME --swap SWAP_ID',
    help: 'Sends all events of a swap again, from its first change on, including abandoned ones.',
    takes: { options: { app: APP, swap: ID } },
    async run(desk, { values }) {
      const app = await appNamed(desk, needed(values, 'app'))
      const swapId = needed(values, 'swap')
      if (!UUID.test(swapId)) throw new UsageError(`${swapId} is no swap id`)
      const times = { now: desk.now(), giveUpAt: giveUpAt(desk.now()) }
      const count = await change(desk, 'webhooks replayed', { app: app.name, swapId }, async (queries) => {
        const replayed = await replayDeliveries(queries, app.id, swapId, times)
        if (replayed.length === 0) throw new UsageError(`no webhook events exist for swap ${swapId} of ${app.name}`)
        return replayed.length
      })
      desk.print(`${count} deliveries are on their way again`)
    },
  },
}

function endpointNamed(app: string, id: string): string {
  if (!UUID.test(id)) throw unknownEndpoint(app, id)
  return id
}

function unknownEndpoint(app: string, id: string): UsageError {
  return new UsageError(`${app} has no webhook ${id}; "webhook list" shows the ids`)
}

/** The chosen event types; null for all types. */
function chosenTypes(text: string): string[] | null {
  if (text === ALL) return null
  const types = eventTypesIn(text)
  if ('unknown' in types) {
    throw new UsageError(
      `--events: there is no type ${types.unknown}; use ${ALL}, or some of ${SWAP_EVENT_TYPES.join(', ')}`,
    )
  }
  return types
}

function stateOf({
  delivered_at,
  failed_at,
  next_at,
}: Pick<DeliveryRow, 'delivered_at' | 'failed_at' | 'next_at'>): string {
  if (delivered_at) return `delivered ${delivered_at.toISOString()}`
  return failed_at ? `given up ${failed_at.toISOString()}` : `next try ${next_at.toISOString()}`
}
