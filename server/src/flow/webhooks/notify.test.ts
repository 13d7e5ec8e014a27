/** Webhooks: one per status change, signed, in order, and not lost to failing receivers or to our own crash. */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import {
  CreatedSwap,
  CreatedWebhook,
  SwapDetails,
  TestedWebhook,
  VerificationError,
  verifyWebhook,
  WebhookEndpoint,
} from '@causeway/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { admin, keyOf } from '../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { type Moves, movesOf } from '../../../../tests/support/service/moves.ts'
import { type Receiver, sendWebhooks, startReceiver } from '../../../../tests/support/service/receiver.ts'
import { countGivenUp } from '../../store/apps/webhooks.ts'
import { forgetOldDeliveries } from './notify.ts'

const CHILD = path.join(import.meta.dirname, '../../../../tests/support/processes/notify-child.ts')
const HOUR_MS = 3_600_000

let api: TestApi
let receiver: Receiver
let headers: Record<string, string>
let endpoint: CreatedWebhook
/** Added to the clock. */
let later = 0
let apps = 0

beforeAll(async () => {
  api = await startApi({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, () => new Date(Date.now() + later))
})
afterAll(() => api.stop())
beforeEach(async () => {
  later = 0
  receiver = await startReceiver()
  apps += 1
  headers = { 'x-ls-apikey': await keyOf(api.services, `app ${apps}`) }
  endpoint = await api.ask(CreatedWebhook, { ...post('/api/v2/webhooks', { url: receiver.url }), headers })
})
afterEach(() => receiver.stop())

async function create(): Promise<{ id: string; story: Moves }> {
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const destination = await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  const request = post('/api/v2/swaps', { ...route, destination_address: destination, amount: 100 })
  const { swap } = await api.ask(CreatedSwap, { ...request, headers })
  return { id: swap.id, story: movesOf(api.services, swap.id) }
}
const run = (signal?: AbortSignal) => sendWebhooks(api.services, endpoint.id, signal)
const deliveries = (swapId: string) =>
  api.services.database.selectFrom('webhook_delivery').selectAll().where('swap_id', '=', swapId).orderBy('id').execute()
const verified = (position: number, now?: Date) => {
  const { body, headers: given } = receiver.received[position] ?? { body: '', headers: {} }
  return verifyWebhook({ body, headers: given, secret: endpoint.secret, ...(now ? { now } : {}) })
}

test('each status change is sent once, in order, signed, as GET /swaps/{id} shows it', async () => {
  const { id, story } = await create()
  await story.deposit()
  await run()
  const shown = await api.ask(SwapDetails, `/api/v2/swaps/${id}?exclude_deposit_actions=true`)
  await story.complete()
  await run()
  await run()
  expect(receiver.statuses()).toEqual(['ls_transfer_pending', 'completed'])
  const event = await verified(0)
  expect(event).toMatchObject({ type: 'swap.ls_transfer_pending', schema_version: 1, data: { swap: { id } } })
  expect(SwapDetails.parse(event.data).swap.transactions).toHaveLength(shown.swap.transactions.length)
  const [first] = receiver.received
  for (const name of ['id', 'timestamp', 'signature'])
    expect(first?.headers[`svix-${name}`]).toBe(first?.headers[`webhook-${name}`])
  expect(first?.body).not.toMatch(/[{,]\s/)
  expect(first?.headers['webhook-id']).not.toBe(receiver.received[1]?.headers['webhook-id'])
})

test('an endpoint receives the types of events that it chose, from then on', async () => {
  const change = (eventTypes: string[] | null) => ({
    ...{ method: 'PATCH' as const, url: `/api/v2/webhooks/${endpoint.id}`, headers },
    payload: { event_types: eventTypes },
  })
  expect(endpoint.event_types).toBeNull()
  expect(await api.ask(WebhookEndpoint, change(['swap.completed']))).toMatchObject({ event_types: ['swap.completed'] })
  const [first, second] = [await create(), await create()]
  await first.story.deposit()
  await first.story.complete()
  await run()
  expect(receiver.statuses()).toEqual(['completed'])
  await api.ask(WebhookEndpoint, change(null))
  await second.story.deposit()
  await run()
  expect(receiver.statuses()).toEqual(['completed', 'ls_transfer_pending'])
  expect(await api.refuse(change([]))).toMatchObject({ status: 400 })
  expect(await api.refuse(change(['swap.unknown']))).toMatchObject({ status: 400 })
  const [chosen, url] = [['swap.failed', 'swap.refunded'], `${receiver.url}/other`]
  const other = { ...post('/api/v2/webhooks', { url, event_types: chosen }), headers }
  expect(await api.ask(CreatedWebhook, other)).toMatchObject({ event_types: chosen })
})

test('a test event goes out once, signed, whatever was chosen; its failure is not a lost event', async () => {
  const app = `app ${apps}`
  await admin(api.services, 'webhook', 'events', '--app', app, '--id', endpoint.id, '--events', 'swap.refunded')
  const ask = { ...post(`/api/v2/webhooks/${endpoint.id}/test`, {}), headers }
  const { message_id } = await api.ask(TestedWebhook, ask)
  await run()
  expect(await verified(0)).toMatchObject({ id: message_id, type: 'webhook.test', data: { webhook_id: endpoint.id } })
  receiver.answer = (response) => response.writeHead(500).end()
  const lost = await countGivenUp(api.services.database, new Date(0))
  await admin(api.services, 'webhook', 'test', '--app', app, '--id', endpoint.id)
  await run()
  await run()
  expect(receiver.statuses()).toEqual(['webhook.test', 'webhook.test'])
  expect(await countGivenUp(api.services.database, new Date(0))).toBe(lost)
  expect(await admin(api.services, 'webhook', 'deliveries', '--app', app)).toMatch(/test .*given up.*answered 500/)
  const stranger = { 'x-ls-apikey': await keyOf(api.services, 'another app') }
  expect(await api.refuse({ ...ask, headers: stranger })).toMatchObject({ status: 404 })
  const unknown = admin(api.services, 'webhook', 'events', '--app', app, '--id', endpoint.id, '--events', 'swap.done')
  await expect(unknown).rejects.toThrow('there is no type swap.done')
})

test('a changed body, another secret and an old delivery are not accepted', async () => {
  const { story } = await create()
  await story.deposit()
  await run()
  await verified(0)
  const [first] = receiver.received
  if (!first) throw new Error('nothing came')
  const check = (changes: object) => verifyWebhook({ ...first, secret: endpoint.secret, ...changes })
  await expect(check({ body: first.body.replace('pending', 'changed') })).rejects.toThrow(VerificationError)
  await expect(check({ secret: 'whsec_AAAA' })).rejects.toThrow('not signed')
  for (const offMs of [HOUR_MS, -HOUR_MS])
    await expect(check({ now: new Date(Date.now() + offMs) })).rejects.toThrow('too old, or from the future')
  await expect(check({ headers: {} })).rejects.toThrow('missing')
  await check({ secret: ['whsec_AAAA', endpoint.secret] })
})

test('a receiver that fails is tried again later and later, and what comes next waits for it', async () => {
  const { id, story } = await create()
  receiver.answer = (response) => response.writeHead(500).end()
  await story.deposit()
  await run()
  await story.complete()
  await run()
  expect(receiver.statuses()).toEqual(['ls_transfer_pending'])
  later = 6_000
  await run()
  later = 20_000
  await run()
  expect(receiver.statuses()).toEqual(['ls_transfer_pending', 'ls_transfer_pending'])
  expect(new Set(receiver.received.map((got) => got.headers['webhook-id'])).size).toBe(1)
  later = 60_000
  receiver.answer = (response) => response.end()
  await run()
  expect(receiver.statuses().slice(2)).toEqual(['ls_transfer_pending', 'completed'])
  expect((await deliveries(id)).map(({ attempts, last_error }) => [attempts, last_error])).toEqual([
    [3, null],
    [1, null],
  ])
})

test('after days it is given up, and can be replayed by hand', async () => {
  const { id, story } = await create()
  receiver.answer = (response) => response.writeHead(503).end()
  await story.deposit()
  await story.complete()
  for (let attempt = 0; attempt < 40 && (await deliveries(id)).some(({ failed_at }) => !failed_at); attempt++) {
    await run()
    later += 6 * HOUR_MS
  }
  const given = await deliveries(id)
  expect(given.every(({ failed_at }) => failed_at)).toBe(true)
  expect(given[0]?.attempts).toBeGreaterThan(8)
  expect(given[0]?.last_error).toBe('answered 503')
  const gone = (given[0]?.failed_at?.getTime() ?? 0) - (given[0]?.created_at.getTime() ?? 0)
  expect(gone).toBeGreaterThan(2 * 24 * HOUR_MS)
  receiver.answer = (response) => response.end()
  receiver.received.length = 0
  const replay = { ...post('/api/v2/webhooks/replay', { swap_id: id }), headers }
  expect(await api.ask(z.unknown(), replay)).toEqual({ deliveries: 2 })
  await run()
  expect(receiver.statuses()).toEqual(['ls_transfer_pending', 'completed'])
  await admin(api.services, 'webhook', 'replay', '--app', `app ${apps}`, '--swap', id)
  await run()
  expect(receiver.received).toHaveLength(4)
})

test('an hour before its days are over it is not put off beyond them', async () => {
  const { id, story } = await create()
  receiver.answer = (response) => response.writeHead(503).end()
  await story.deposit()
  await run()
  const [told] = await deliveries(id)
  const { now } = api.services
  // The service was down for almost all of that time: few tries were made, and the next one would come too late.
  later += (told?.give_up_at.getTime() ?? 0) - now().getTime() - 1
  await run()
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 2, failed_at: expect.any(Date) })
})

test('a redirect is not followed', async () => {
  const { id, story } = await create()
  receiver.answer = (response) => response.writeHead(302, { location: receiver.url }).end()
  await story.deposit()
  await run()
  expect(receiver.received).toHaveLength(1)
  expect((await deliveries(id))[0]).toMatchObject({ last_error: 'answered 302', delivered_at: null })
})

test('what is done with is forgotten after a month, what waits is not', async () => {
  const [told, waiting] = [await create(), await create()]
  await told.story.deposit()
  await run()
  await waiting.story.deposit()
  later = 31 * 24 * HOUR_MS
  // The operator decides how long that is.
  await forgetOldDeliveries({ ...api.services, config: { ...api.services.config, webhookKeepDays: 40 } })
  expect(await deliveries(told.id)).toHaveLength(1)
  await forgetOldDeliveries(api.services)
  expect([await deliveries(told.id), await deliveries(waiting.id)]).toMatchObject([[], [{ delivered_at: null }]])
})

test('a swap goes on although it cannot be described', async () => {
  const { story } = await create()
  const { describeSwap } = api.services
  api.services.describeSwap = async () => {
    throw new TypeError('a mistake of ours')
  }
  await story.deposit()
  api.services.describeSwap = describeSwap
  await story.complete()
  await run()
  expect(receiver.statuses()).toEqual(['completed'])
})

test('a stopping service breaks a delivery off without counting it', async () => {
  const { id, story } = await create()
  await story.deposit()
  const stopping = new AbortController()
  receiver.answer = () => stopping.abort()
  await run(stopping.signal)
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 0, delivered_at: null, failed_at: null })
})

test("an endpoint is its own app's: others neither see, remove nor receive it", async () => {
  const other = { 'x-ls-apikey': await keyOf(api.services, 'a stranger') }
  expect(await api.ask(z.array(WebhookEndpoint), { url: '/api/v2/webhooks', headers: other })).toEqual([])
  const remove = { method: 'DELETE', url: `/api/v2/webhooks/${endpoint.id}` } as const
  expect(await api.refuse({ ...remove, headers: other })).toMatchObject({ status: 404 })
  expect(await api.refuse(remove)).toMatchObject({ status: 403, code: 'API_KEY_FORBIDDEN' })
  const { id, story } = await create()
  const replay = { ...post('/api/v2/webhooks/replay', { swap_id: id }), headers: other }
  expect(await api.refuse(replay)).toMatchObject({ status: 404 })
  await story.deposit()
  expect((await api.server.inject({ ...remove, headers })).statusCode).toBe(200)
  await run()
  await story.complete()
  expect(receiver.received).toEqual([])
  expect(await deliveries(id)).toMatchObject([{ last_error: 'the endpoint was removed' }])
})

test('an app has ten endpoints and no eleventh', async () => {
  const add = (path: string) => ({ ...post('/api/v2/webhooks', { url: `${receiver.url}${path}` }), headers })
  // One is there already.
  for (let number = 2; number <= 10; number++) await api.ask(CreatedWebhook, add(`${number}`))
  expect(await api.refuse(add('11'))).toMatchObject({ status: 400 })
})

test('killed between storing, sending and noting it, nothing is lost and the order holds', async () => {
  const swaps = await Promise.all([create(), create()])
  for (const { story } of swaps) await story.deposit()
  for (const { story } of swaps) await story.complete()
  const children: ChildProcess[] = []
  const start = () => {
    const child = fork(CHILD, { env: { ...process.env, DATABASE_URL: api.services.config.databaseUrl } })
    children.push(child)
    return new Promise((resolve) => child.once('exit', resolve))
  }
  // The first child dies with a delivery that was received and not answered: it is not noted as delivered.
  receiver.answer = (response) => {
    if (children.length === 1) children[0]?.kill('SIGKILL')
    else response.end()
  }
  try {
    await start()
    // The claims of the dead process run out.
    await api.services.database.updateTable('webhook_delivery').set({ next_at: new Date() }).execute()
    start()
    await eventually(async () => {
      const waiting = await api.services.database
        .selectFrom('webhook_delivery')
        .select('id')
        .where('delivered_at', 'is', null)
        .where(
          'swap_id',
          'in',
          swaps.map(({ id }) => id),
        )
        .execute()
      return waiting.length === 0
    }, 'every delivery')
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
  for (const { id } of swaps) {
    const told = receiver.received.filter(({ body }) => body.includes(id)).map(({ status }) => status)
    expect([...new Set(told)]).toEqual(['ls_transfer_pending', 'completed'])
    expect(told).toEqual(told.toSorted((a, b) => Number(a === 'completed') - Number(b === 'completed')))
  }
  expect(receiver.received.length).toBeGreaterThan(4)
}, 120_000)
