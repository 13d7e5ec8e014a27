/** Which deliveries may be sent at the same time, and that several processes send none at the same time. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { insertApp } from '../../store/apps/apps.ts'
import { claimDelivery, dueEndpoints, recordAttempt, releaseDelivery } from '../../store/apps/webhook-queue.ts'
import { type DeliveryRow, insertEndpoint, insertTestDelivery } from '../../store/apps/webhooks.ts'
import { mayStart, type UnderWay } from './dispatch.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const after = (ms: number) => new Date(NOW.getTime() + ms)
const CLAIM_MS = 30_000

let api: TestApi
beforeAll(async () => {
  api = await startApi({})
})
afterAll(() => api.stop())

async function endpointWith(tests: number): Promise<string> {
  const { database } = api.services
  const { id: appId } = await insertApp(database, randomUUID())
  const url = 'https://hooks.example/'
  const { id } = await insertEndpoint(database, { appId, secret: 'unused', eventTypes: null, url })
  for (let number = 0; number < tests; number++) await insertTestDelivery(database, id, { body: `${number}`, now: NOW })
  return id
}

const claim = (endpointId: string, now = NOW) =>
  claimDelivery(api.services.database, endpointId, { now, until: new Date(now.getTime() + CLAIM_MS) })

async function claimed(endpointId: string, now = NOW): Promise<DeliveryRow> {
  const delivery = await claim(endpointId, now)
  if (typeof delivery === 'string') throw new Error(delivery)
  return delivery
}

const isDue = async (endpointId: string, now = NOW) =>
  (await dueEndpoints(api.services.database, now)).some(({ id }) => id === endpointId)

test('whatever others have under way, an app without any may start', () => {
  const one = fc.record({ appId: fc.constantFrom('a', 'b', 'c'), endpointId: fc.constantFrom('1', '2', '3') })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 200 }), (others) => mayStart(others, { appId: 'own', endpointId: '9' })),
  )
})

test('one app has few under way, and of all its endpoints one each; all apps together are bounded', () => {
  const start = (underWay: UnderWay[], offered: UnderWay[]) => {
    for (const own of offered) if (mayStart(underWay, own)) underWay.push(own)
    return underWay
  }
  const of = (appId: string, endpoints: number) =>
    Array.from({ length: endpoints * 20 }, (_, n) => ({ appId, endpointId: `${appId} ${n % endpoints}` }))
  const hanging = start([], of('a', 1))
  expect(hanging).toHaveLength(4)
  const all = start(hanging, of('a', 10))
  expect(new Set(all.map(({ endpointId }) => endpointId)).size).toBe(10)
  expect(all).toHaveLength(13)
  for (let app = 0; app < 100; app++) start(all, of(`app ${app}`, 10))
  expect(all.length).toBeLessThan(48 + 100)
  expect(new Set(all.map(({ appId }) => appId)).size).toBe(101)
})

test('one app that removes its endpoints and adds others, again and again, leaves most places to others', () => {
  const underWay: UnderWay[] = []
  for (let n = 0; n < 1_000; n++) {
    const own = { appId: 'a', endpointId: `added ${n}` }
    if (mayStart(underWay, own)) underWay.push(own)
  }
  expect(underWay.length).toBeLessThanOrEqual(13)
  // Another app's endpoint that hangs delays no other of that app.
  underWay.push({ appId: 'b', endpointId: 'hangs' })
  expect(mayStart(underWay, { appId: 'b', endpointId: 'answers' })).toBe(true)
})

test('a claimed delivery is not claimed again, and later ones of its subject wait for it', async () => {
  const id = await endpointWith(3)
  const first = await claimed(id)
  expect(first.body).toBe('0')
  expect(await claim(id)).toBe('none')
  expect(await isDue(id)).toBe(false)
  // One that is stored meanwhile is moved behind it.
  await insertTestDelivery(api.services.database, id, { body: '3', now: NOW })
  expect(await claim(id)).toBe('blocked')
  expect(await claim(id)).toBe('none')
  await recordAttempt(api.services.database, first, { at: after(1_000), error: 'answered 500', nextAt: after(60_000) })
  expect(await claim(id, after(50_000))).toBe('blocked')
  expect(await claim(id, after(50_000))).toBe('none')
  const again = await claimed(id, after(60_000))
  expect(again.id).toBe(first.id)
  await recordAttempt(api.services.database, again, { at: after(61_000), error: null, nextAt: null })
  expect((await claimed(id, after(61_000))).body).toBe('1')
})

test('many processes claim a delivery once, and in order', async () => {
  const id = await endpointWith(40)
  const bodies: string[] = []
  const work = async () => {
    while (bodies.length < 40) {
      const delivery = await claim(id)
      if (typeof delivery === 'string') continue
      bodies.push(delivery.body)
      // Until it is recorded, no process gets another of this subject.
      expect(typeof (await claim(id))).toBe('string')
      await recordAttempt(api.services.database, delivery, { at: NOW, error: null, nextAt: null })
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  expect(bodies).toEqual(Array.from({ length: 40 }, (_, number) => `${number}`))
})

test('the claim of a process that died runs out; one that stopped gives it back at once', async () => {
  const id = await endpointWith(1)
  const first = await claimed(id)
  expect(await claim(id, after(CLAIM_MS - 1))).toBe('none')
  const second = await claimed(id, after(CLAIM_MS))
  expect(second).toMatchObject({ id: first.id, attempts: 0 })
  await releaseDelivery(api.services.database, second.id, NOW)
  expect((await claimed(id)).id).toBe(first.id)
  // An attempt that ends after another one has ended counts no more.
  await recordAttempt(api.services.database, second, { at: NOW, error: null, nextAt: null })
  await recordAttempt(api.services.database, first, { at: NOW, error: 'answered 500', nextAt: after(1_000) })
  expect(await claim(id, after(CLAIM_MS * 10))).toBe('none')
})
