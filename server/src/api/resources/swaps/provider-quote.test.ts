/** A quote over swap providers is computed from memory: no node is asked while a client waits. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase } from '../../../../../tests/support/database/database.ts'
import { addPools } from '../../../../../tests/support/exchanges/service-pools.ts'
import { startServices, type TestServices } from '../../../../../tests/support/service/services.ts'
import { createApi } from '../../server.ts'

let database: Awaited<ReturnType<typeof startDatabase>>
let services: TestServices
let api: Awaited<ReturnType<typeof createApi>>
/** The calls of a chain that answer later: those that may ask a node. */
const asked: string[] = []

beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
  await addPools(services)
  for (const chain of services.chains.values()) watch(chain)
  api = await createApi(services)
})
afterAll(async () => {
  await api?.close()
  await services?.stop()
  await database?.stop()
})

function watch(target: object): void {
  for (const [name, value] of Object.entries(target)) {
    if (name === 'network') continue
    if (typeof value === 'object' && value !== null) watch(value)
    if (typeof value !== 'function') continue
    const spied = (...given: unknown[]) => {
      const answer = value.apply(target, given)
      if (answer instanceof Promise) asked.push(name)
      return answer
    }
    Object.assign(target, { [name]: spied })
  }
}

const ROUTE = new URLSearchParams({
  ...{ source_network: 'ALPHA', source_token: 'GEM', destination_network: 'BETA', destination_token: 'GEM' },
  amount: '40',
})

test.each(['quote', 'limits', 'detailed_quote'])('GET /%s over two exchanges asks no node', async (call) => {
  asked.length = 0
  const answer = await api.inject({ url: `/api/v2/${call}?${ROUTE}` })
  expect([answer.statusCode, asked]).toEqual([200, []])
})

test('the path and the price impact of both exchanges are named', async () => {
  const { quote } = (await api.inject({ url: `/api/v2/quote?${ROUTE}` })).json().data
  expect(quote.path.map(({ provider }: { provider: string }) => provider)).toEqual([
    'uniswap_v2',
    'causeway',
    'uniswap_v3',
  ])
  expect(quote.price_impact).toBeGreaterThan(0)
  expect(quote.price_impact).toBeLessThan(0.01)
})

test('reading the pools would have been noticed', async () => {
  asked.length = 0
  await services.market.refreshPools(services.catalogue.network('BETA'))
  expect(asked).toContain('readPools')
})
