/** Attack B8: hanging endpoints hold all webhook workers, and the events of other apps are late. */
import { CreatedWebhook, TestedWebhook } from '@causeway/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { runWorker } from '../../../server/src/flow/run/worker.ts'
import { createWebhookSlots, type Slot, type WebhookSlots } from '../../../server/src/flow/webhooks/slots.ts'
import { insertApp } from '../../../server/src/store/apps/apps.ts'
import { insertEndpoint } from '../../../server/src/store/apps/webhooks.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { keyOf } from '../../support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { startReceiver } from '../../support/service/receiver.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ ALLOW_PRIVATE_WEBHOOKS: 'true' })
})
afterAll(() => api.stop())

let now = 0
let slots: WebhookSlots
/** Ends all deliveries that hang. */
let hang: PromiseWithResolvers<void>
const running: Promise<unknown>[] = []
beforeEach(() => {
  now = 0
  slots = createWebhookSlots(api.services.database, () => now)
  hang = Promise.withResolvers()
})
afterEach(async () => {
  hang.resolve()
  await Promise.all(running.splice(0))
})

let made = 0
async function endpointsOf(apps: number, each = 1): Promise<string[]> {
  const { database } = api.services
  const ids = []
  for (let n = 0; n < apps; n++) {
    made += 1
    const { id } = await insertApp(database, `app ${made}`)
    for (let place = 0; place < each; place++) {
      const url = `https://app${made}.example/${place}`
      ids.push((await insertEndpoint(database, { appId: id, secret: 'unused', eventTypes: null, url })).id)
    }
  }
  return ids
}

/** A delivery that is not answered. It ends when it loses its slot, or with the test. */
async function beginHanging(endpoint: string): Promise<string> {
  const begun = Promise.withResolvers<string>()
  const over = slots.within(endpoint, ({ signal }) => {
    begun.resolve('hangs')
    return Promise.race([
      hang.promise,
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
    ])
  })
  running.push(over)
  return Promise.race([begun.promise, over])
}

async function beginAll(endpoints: readonly string[]): Promise<number> {
  let held = 0
  for (const endpoint of endpoints) held += Number((await beginHanging(endpoint)) === 'hangs')
  return held
}

const answerAtOnce = async (slot: Slot) => slot.answered(true)

test('ten hanging endpoints of one app hold three workers, and another app is served at once', async () => {
  expect(await beginAll(await endpointsOf(1, 10))).toBe(3)
  const [other = ''] = await endpointsOf(1)
  expect(await slots.within(other, answerAtOnce)).toBe('ran')
  hang.resolve()
  await Promise.all(running)
  hang = Promise.withResolvers()
  // The slots are free again.
  expect(await beginAll(await endpointsOf(1, 10))).toBe(3)
})

test('twenty hanging apps lose slots to deliveries that find none, and wait for each other from then on', async () => {
  const endpoints = await endpointsOf(20, 3)
  const held = await beginAll(endpoints)
  expect(held).toBeLessThan(endpoints.length)
  const healthy = await endpointsOf(5)
  // A short wait is usual: no delivery is stopped for it.
  expect(await slots.within(healthy[0] ?? '', answerAtOnce)).toBe('crowded')
  now += 1_000
  for (const endpoint of healthy) expect(await slots.within(endpoint, answerAtOnce)).toBe('ran')
  // Each of the twenty gets a slot once more, and is known as slow then.
  for (let round = 0; round < endpoints.length; round++) {
    now += 1_000
    await beginAll(endpoints)
  }
  const few = (await Promise.all(endpoints.map(beginHanging))).filter((state) => state === 'hangs')
  expect(few).toEqual([])
  for (const endpoint of await endpointsOf(9)) expect(await beginHanging(endpoint)).toBe('hangs')
})

test('an endpoint that did not answer in time shares few slots with others, until it answers in time', async () => {
  const endpoints = await endpointsOf(5)
  for (const endpoint of endpoints) await slots.within(endpoint, async (slot) => slot.answered(false))
  expect(await beginAll(endpoints)).toBe(3)
  const [last = ''] = endpoints.slice(-1)
  expect(await slots.within(last, answerAtOnce)).toBe('slow')
  hang.resolve()
  await Promise.all(running)
  expect(await slots.within(last, answerAtOnce)).toBe('ran')
  hang = Promise.withResolvers()
  expect(await beginAll(endpoints)).toBe(4)
})

test('a series of quick answers is not a hanging delivery', async () => {
  const [busy = '', ...others] = await endpointsOf(12)
  const begun = Promise.withResolvers<Slot>()
  const series = slots.within(busy, async (slot) => {
    begun.resolve(slot)
    await hang.promise
  })
  running.push(series)
  const slot = await begun.promise
  now += 5_000
  slot.answered(true)
  await beginAll(others)
  expect(slot.signal.aborted).toBe(false)
  now += 1_000
  const [late = ''] = await endpointsOf(1)
  expect(await slots.within(late, answerAtOnce)).toBe('ran')
  expect(slot.signal.aborted).toBe(true)
})

test('with hanging receivers of twenty apps, another app has its event before any of them times out', async () => {
  const [hanging, healthy] = [await startReceiver(), await startReceiver()]
  hanging.answer = () => undefined
  const endpointOf = async (name: string, url: string) => {
    const headers = { 'x-ls-apikey': await keyOf(api.services, name) }
    const { id } = await api.ask(CreatedWebhook, { ...post('/api/v2/webhooks', { url }), headers })
    return () => api.ask(TestedWebhook, { ...post(`/api/v2/webhooks/${id}/test`, {}), headers })
  }
  const tellHealthy = await endpointOf('healthy', healthy.url)
  for (let n = 0; n < 20; n++) await (await endpointOf(`hanging ${n}`, hanging.url))()
  const over = new AbortController()
  const working = runWorker(api.services, over.signal)
  try {
    await eventually(async () => hanging.received.length >= 9, 'the slots to be held')
    await tellHealthy()
    await eventually(async () => healthy.received.length === 1, 'the event of the healthy app')
    const tried = api.services.database.selectFrom('webhook_delivery').select('id').where('last_error', 'is not', null)
    expect(await tried.execute()).toEqual([])
  } finally {
    over.abort()
    await working
    await Promise.all([hanging.stop(), healthy.stop()])
  }
})
