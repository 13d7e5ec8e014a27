/** Attack B8: hanging endpoints hold all webhook workers, and the events of other apps are late. */
import { CreatedWebhook, TestedWebhook } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runWorker } from '../../../server/src/flow/run/worker.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { keyOf } from '../../support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { startReceiver } from '../../support/service/receiver.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ ALLOW_PRIVATE_WEBHOOKS: 'true' })
})
afterAll(() => api.stop())

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
    await eventually(async () => hanging.received.length === 20, 'all of them to hang')
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
