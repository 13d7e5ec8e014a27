/** What the internal port says: whether the service is fit to serve, and what it measures. */
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../tests/support/api.ts'
import { savePosition } from '../store/cursors.ts'
import { takeLease } from '../store/leases.ts'
import { createInternal } from './internal.ts'

let api: TestApi
let internal: FastifyInstance
beforeAll(async () => {
  api = await startApi()
  internal = createInternal(api.services)
})
afterAll(async () => {
  await internal.close()
  await api.stop()
})

test('ready means that prices are known, nodes answer and somebody watches every network', async () => {
  const before = await internal.inject('/ready')
  expect(before.statusCode).toBe(503)
  expect(before.json()).toMatchObject({ ready: false, database: true, prices: true })
  const { database, catalogue } = api.services
  for (const { name } of catalogue.networks) {
    await takeLease(database, `watch:${name}`, crypto.randomUUID(), 60_000)
    const position = { cursor: 'x', recheckFrom: null }
    await savePosition(database, name, position, { number: 7n, hash: 'h' }, new Date())
  }
  const after = await internal.inject('/ready')
  expect(after.statusCode).toBe(200)
  expect(after.json().networks[0]).toMatchObject({ name: 'ALPHA', watched: true, node_answers: true, head: 7 })
})

test('requests are counted by route and status', async () => {
  await api.server.inject('/api/v2/networks')
  await api.server.inject('/nowhere')
  const { body, headers } = await internal.inject('/metrics')
  expect(headers['content-type']).toContain('text/plain')
  expect(body).toMatch(
    /causeway_http_request_seconds_count\{method="GET",route="\/api\/v2\/networks",status="200"\} \d+/,
  )
  expect(body).toContain('route="unknown",status="404"')
})
