/** A closed network is listed as such, and no route uses it. */
import { ListedNetwork, RouteNetwork } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { sampleNetwork } from '../../../../../tests/support/chains/samples.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

const CLOSED = sampleNetwork(
  [
    { symbol: 'OLD', contract: null, decimals: 18 },
    { symbol: 'USDC', contract: '0x01', decimals: 6 },
  ],
  {
    ...{ name: 'CLOSED', type: 'zksynclite', transactionExplorer: 'https://old.example/{0}' },
    notice: 'No public network: it was retired',
  },
)

let api: TestApi
beforeAll(async () => {
  api = await startApi()
  Object.assign(api.services.catalogue, { closed: [CLOSED] })
})
afterAll(() => api.stop())

const statusesIn = (networks: z.output<typeof RouteNetwork>[]) =>
  networks.filter(({ name }) => name === 'CLOSED').flatMap(({ tokens }) => tokens.map(({ status }) => status))

test('it is listed with its tokens, without nodes and without deposit methods', async () => {
  const networks = await api.ask(z.array(ListedNetwork), '/api/v2/networks?network_types=zksynclite')
  expect(networks).toMatchObject([{ name: 'CLOSED', node_url: null, nodes: [], deposit_methods: [] }])
  expect(networks[0]?.notice).toBe('No public network: it was retired')
  expect(networks[0]?.tokens.map(({ symbol }) => symbol)).toEqual(['OLD', 'USDC'])
  for (const logo of ['networks/CLOSED.svg', 'tokens/OLD.svg']) {
    expect((await api.server.inject(`/logos/${logo}`)).statusCode).toBe(200)
  }
})

test.each(['sources', 'destinations'])(
  'in %s all its tokens are inactive, and listed only on request',
  async (list) => {
    const ask = (query: string) => api.ask(z.array(RouteNetwork), `/api/v2/${list}${query}`)
    expect(statusesIn(await ask(''))).toEqual([])
    expect(statusesIn(await ask('?include_unavailable=true'))).toEqual(['inactive', 'inactive'])
    expect(statusesIn(await ask('?include_unmatched=true'))).toEqual(['inactive', 'inactive'])
    expect(statusesIn(await ask('?include_unavailable=true&network_types=evm'))).toEqual([])
  },
)

test('no route uses it', async () => {
  const query = 'source_network=ALPHA&source_token=USDC&destination_network=CLOSED&destination_token=USDC&amount=10'
  expect(await api.refuse(`/api/v2/quote?${query}`)).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
  const swap = {
    source_network: 'CLOSED',
    source_token: 'OLD',
    destination_network: 'ALPHA',
    destination_token: 'USDC',
  }
  const refused = await api.refuse(post('/api/v2/swaps', { ...swap, destination_address: 'sim1', amount: 1 }))
  expect(refused).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
  expect(await api.refuse('/api/v2/sources?destination_network=CLOSED')).toMatchObject({
    code: 'ROUTE_NOT_FOUND_ERROR',
  })
})

test('no adapter exists that could call its nodes', () => {
  expect(api.services.chains.has('CLOSED')).toBe(false)
  expect(api.services.catalogue.networks.map(({ name }) => name)).not.toContain('CLOSED')
})
