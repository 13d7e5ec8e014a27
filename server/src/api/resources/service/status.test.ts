/** The status of networks: measured once a minute, kept per day, and shown as it was measured. */
import { ServiceStatus } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { checkNetworks } from '../../../flow/run/check-networks.ts'
import { forgetChecks, recordChecks } from '../../../store/watch/network-checks.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

test('uptime is the share of good checks, per day and over all days', async () => {
  const { database } = api.services
  const now = new Date()
  const yesterday = new Date(now.getTime() - 24 * 3_600_000)
  const longAgo = new Date(now.getTime() - 90 * 24 * 3_600_000)
  await recordChecks(database, [{ network: 'ALPHA', state: 'down' }], longAgo)
  await forgetChecks(database, new Date(now.getTime() - 30 * 24 * 3_600_000))
  for (const state of ['up', 'down', 'up', 'up'] as const)
    await recordChecks(database, [{ network: 'ALPHA', state }], yesterday)
  await recordChecks(
    database,
    [
      { network: 'ALPHA', state: 'up' },
      { network: 'BETA', state: 'behind' },
    ],
    now,
  )
  const { networks, checked_at } = await api.ask(ServiceStatus, '/api/v2/status')
  expect(checked_at).toBe(now.toISOString())
  const [alpha, beta] = ['ALPHA', 'BETA'].map((name) => networks.find(({ network }) => network === name))
  expect(alpha).toMatchObject({ state: 'up', paused: false, uptime: 0.8 })
  expect(alpha?.days.map(({ uptime }) => uptime)).toEqual([0.75, 1])
  expect(beta).toMatchObject({ state: 'behind', uptime: 0 })
})

test('time in which the service did not run counts as downtime', async () => {
  const { database } = api.services
  await forgetChecks(database, new Date(Date.now() + 24 * 3_600_000))
  const noon = Date.parse('2026-11-18T12:00:00Z')
  await recordChecks(database, [{ network: 'ALPHA', state: 'up' }], new Date(noon - 10 * 60_000))
  await checkNetworks({ ...api.services, now: () => new Date(noon) })
  const rows = await database
    .selectFrom('network_check')
    .select(['checks', 'good', 'at'])
    .where('network', '=', 'ALPHA')
    .execute()
  expect(rows).toMatchObject([{ checks: 11, at: new Date(noon) }])
  expect(rows[0]?.good).toBeLessThanOrEqual(2)
})
