/**
 * Attack B8, varied: some apps have thousands of events to endpoints that hang, or that answer late every time (expired swaps cost
 * nothing). The event of another app must not wait behind them.
 */
import { CreatedSwap, CreatedWebhook, TestedWebhook } from '@causeway/sdk'
import pg from 'pg'
import { expect, test } from 'vitest'
import { runWorker } from '../../../server/src/flow/run/worker.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { keyOf } from '../../support/service/accounts.ts'
import { post, startApi } from '../../support/service/api.ts'
import { type Receiver, startReceiver } from '../../support/service/receiver.ts'

const SWAPS = 1_000
const ENDPOINTS = 10
const ROUNDS = 3
/** Late, and before the timeout. */
const LATE_MS = 900
const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }

const hang: Receiver['answer'] = () => undefined
const answerLate: Receiver['answer'] = (response) => setTimeout(() => response.end(), LATE_MS)

test.each([
  { kind: 'one app with hanging endpoints', apps: 1, answer: hang },
  { kind: 'three apps with endpoints that answer late', apps: 3, answer: answerLate },
])('thousands of waiting events of $kind do not delay those of another app', { timeout: 150_000 }, async (noise) => {
  const api = await startApi({ ALLOW_PRIVATE_WEBHOOKS: 'true' })
  const [noisy, healthy] = [await startReceiver(), await startReceiver()]
  noisy.answer = noise.answer
  const fair = { 'x-ls-apikey': await keyOf(api.services, 'fair') }
  const { id } = await api.ask(CreatedWebhook, { ...post('/api/v2/webhooks', { url: healthy.url }), headers: fair })
  for (let app = 0; app < noise.apps; app++) {
    const headers = { 'x-ls-apikey': await keyOf(api.services, `noisy ${app}`) }
    for (let n = 0; n < ENDPOINTS; n++)
      await api.ask(CreatedWebhook, { ...post('/api/v2/webhooks', { url: `${noisy.url}/${app}/${n}` }), headers })
  }
  const destination_address = await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  const { swap } = await api.ask(CreatedSwap, post('/api/v2/swaps', { ...ROUTE, destination_address, amount: 100 }))
  const client = new pg.Client({ connectionString: api.services.config.databaseUrl })
  await client.connect()
  await client.query(
    `insert into swap overriding system value select made.* from swap, generate_series(1, $2::int) n, jsonb_populate_record(swap, jsonb_build_object(
       'id', gen_random_uuid(), 'ordinal', 5000000 + n, 'reference', 1000000000 + n)) made
     where swap.id = $1`,
    [swap.id, Math.ceil(SWAPS / noise.apps)],
  )
  await client.query(
    `insert into webhook_delivery (endpoint_id, swap_id, status, body, created_at, next_at, give_up_at)
     select e.id, s.id, 'expired', '{"type":"swap.expired","data":{}}', now(), now(), now() + interval '3 days'
     from swap s, webhook_endpoint e join app on app.id = e.app_id where app.name like 'noisy %'`,
  )
  await client.end()
  const over = new AbortController()
  const working = runWorker(api.services, over.signal)
  try {
    await eventually(async () => noisy.received.length >= noise.apps * ENDPOINTS, 'the noisy endpoints to be busy')
    for (let round = 1; round <= ROUNDS; round++) {
      const before = noisy.received.length
      await api.ask(TestedWebhook, { ...post(`/api/v2/webhooks/${id}/test`, {}), headers: fair })
      await eventually(async () => healthy.received.length === round, 'the event of the healthy app')
      // Each noisy endpoint was served a few more times at the most.
      expect(noisy.received.length - before).toBeLessThan(noise.apps * ENDPOINTS * 3)
    }
  } finally {
    over.abort()
    await working
    await Promise.all([noisy.stop(), healthy.stop()])
    await api.stop()
  }
})
