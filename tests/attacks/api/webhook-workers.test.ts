/** Attack B8: one app's hanging endpoints hold all webhook workers, and the events of other apps are late. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAppShare } from '../../../server/src/flow/webhooks/app-share.ts'
import { insertApp } from '../../../server/src/store/apps/apps.ts'
import { insertEndpoint } from '../../../server/src/store/apps/webhooks.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

async function endpointsOf(name: string, count: number): Promise<string[]> {
  const { database } = api.services
  const { id } = await insertApp(database, name)
  const common = { appId: id, secret: 'unused', eventTypes: null }
  const urls = Array.from({ length: count }, (_, n) => `https://${name}${n}.example/`)
  return (await Promise.all(urls.map((url) => insertEndpoint(database, { ...common, url })))).map((row) => row.id)
}

test('ten hanging endpoints of one app hold three workers, and another app is served at once', async () => {
  const share = createAppShare(api.services.database)
  const hang = Promise.withResolvers<void>()
  const running: Promise<boolean>[] = []
  let held = 0
  for (const endpoint of await endpointsOf('hanging', 10)) {
    const answer = share.within(endpoint, () => {
      held += 1
      return hang.promise
    })
    running.push(answer)
  }
  await expect.poll(() => held).toBe(3)
  const [other = ''] = await endpointsOf('other', 1)
  let isServed = false
  const serve = async () => {
    isServed = true
  }
  expect(await share.within(other, serve)).toBe(true)
  expect(isServed).toBe(true)
  hang.resolve()
  expect((await Promise.all(running)).filter((hasRun) => hasRun)).toHaveLength(3)
  // The places are free again.
  const [again = ''] = await endpointsOf('third', 1)
  expect(await share.within(again, serve)).toBe(true)
})
