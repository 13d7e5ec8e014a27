/** Responses of the public port reveal nothing internal and stay within the limits. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setSwitch } from '../../../server/src/store/limits/safeguards.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

const READS = 40

let api: TestApi
beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_READS: `${READS}` })
})
afterAll(() => api.stop())

test('metrics and readiness are not there; health is', async () => {
  const statuses = await Promise.all(
    ['/metrics', '/ready', '/health', '/api/v2/metrics', '/api/v2/ready', '/api/v2/health'].map(
      async (url) => (await api.server.inject(url)).statusCode,
    ),
  )
  expect(statuses).toEqual([404, 404, 404, 404, 404, 200])
})

test('the reason of a pause is not public', async () => {
  const reason = 'node key of 10.0.0.7 leaked'
  const { database, safeguards } = api.services
  await setSwitch(database, { scope: 'network:BETA', stops_swaps: true, stops_payouts: false, reason })
  await safeguards.refresh()
  const route = 'source_network=ALPHA&source_token=USDC&destination_network=BETA&destination_token=USDC'
  const answer = await api.server.inject(`/api/v2/quote?${route}&amount=20`)
  expect(answer.statusCode).toBe(404)
  expect(answer.json().error.message).toBe('This route is paused.')
})

test('a node whose address may carry a key is not published', async () => {
  const [network] = api.services.catalogue.networks
  if (!network) throw new Error('no network')
  const open = ['https://public.example/rpc', 'https://rpc.example/v1/mainnet', 'https://rpc.example:8545/']
  network.nodes = [
    ...open,
    'https://user:word@node.example/',
    'https://node.example/v3/8f14e45fceea167a5a36dedd4bea2543',
    'https://node.example/?api_key=abc',
    'https://node.example/Xy7Pq9Lm2Rt5',
    'https://8f14e45fceea167a5a36dedd4bea2543.node.example/',
  ]
  const answer = await api.server.inject('/api/v2/networks')
  expect(answer.json().data[0].nodes).toEqual(open)
})

test('pages and pictures count against the limit', async () => {
  const pages = ['/docs', '/logos/networks/ALPHA.svg', '/openapi.json', '/.well-known/causeway.json']
  for (const page of pages) expect((await api.server.inject(page)).headers, page).toHaveProperty('ratelimit-remaining')
  for (let asked = 0; asked < READS; asked++) await api.server.inject('/docs')
  for (const page of pages) expect((await api.server.inject(page)).statusCode, page).toBe(429)
})
