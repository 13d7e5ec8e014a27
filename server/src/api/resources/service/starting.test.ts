/** Data that is not known yet gives a 503, so that clients retry; a route that does not exist gives a 404. */
import { CreatedSwap, Limits } from '@causeway/sdk'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { chainOf } from '../../../catalogue/chains.ts'
import { createWatcher } from '../../../flow/watch/watch.ts'
import { createMarket, type Market } from '../../../market/market.ts'

const started: TestApi[] = []
let api: TestApi
let recipient: string
beforeEach(async () => {
  api = await startApi()
  started.push(api)
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterAll(async () => {
  for (const one of started) await one.stop()
})

const ROUTE = { source_network: 'GAMMA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
const url = (call: string, route: object = ROUTE) =>
  `/api/v2/${call}?${new URLSearchParams({ ...route, ...(call === 'quote' && { amount: '100' }) })}`
const creation = () => post('/api/v2/swaps', { ...ROUTE, amount: 100, destination_address: recipient })

/** The status of every call about the route, as one value if all agree. */
async function answers(): Promise<string[]> {
  const asked = [url('quote'), url('limits'), url('detailed_quote'), creation()]
  const told = await Promise.all(asked.map((request) => api.server.inject(request)))
  return [...new Set(told.map((one) => `${one.statusCode} ${one.json().error?.code} ${one.headers['retry-after']}`))]
}

/** A new market without any data. */
function forget(): Market {
  const { config, database, catalogue, chains, now } = api.services
  const prices = {
    name: 'test',
    read: async () =>
      new Map([
        ['SIM', 2000n * 10n ** 18n],
        ['USDC', 10n ** 18n],
      ]),
  }
  const market = createMarket({ config, database, catalogue, chains, prices, rules: () => null, now })
  Object.assign(api.services, { market })
  return market
}

test('routes from an unscanned network answer 503, and work once it was scanned', async () => {
  await api.services.database.deleteFrom('chain_cursor').where('network', '=', 'GAMMA').execute()
  expect(await answers()).toEqual(['503 SERVICE_STARTING 2'])
  await createWatcher(api.services, chainOf(api.services.chains, 'GAMMA')).turn()
  expect(await answers()).toEqual(['200 undefined undefined'])
  await api.ask(CreatedSwap, creation())
})

test('routes answer 503 while fees are unknown, then while prices are, then not at all', async () => {
  const market = forget()
  expect(await answers()).toEqual(['503 SERVICE_STARTING 2'])
  for (const network of api.services.catalogue.networks) await market.refresh(network)
  expect(await answers()).toEqual(['503 PRICE_UNAVAILABLE 2'])
  expect((await api.refuse(url('limits'))).message).toContain('no price of USDC')
  await market.refreshPrices()
  expect(await answers()).toEqual(['200 undefined undefined'])
  await api.ask(Limits, url('limits'))
})

test('routes of a network whose nodes went silent answer 503, and work again once it is read', async () => {
  const { services } = api
  let lateMs = 0
  Object.assign(services, { now: () => new Date(Date.now() + lateMs) })
  const market = forget()
  for (const network of services.catalogue.networks) await market.refresh(network)
  await market.refreshPrices()
  expect(await answers()).toEqual(['200 undefined undefined'])
  lateMs = 6 * 60_000
  await market.refreshPrices()
  expect(await answers()).toEqual(['503 SERVICE_STARTING 2'])
  expect((await api.refuse(url('limits'))).message).toContain('BETA could not be read lately')
  await market.refresh(services.catalogue.network('BETA'))
  expect(await answers()).toEqual(['200 undefined undefined'])
})

test('an unknown route stays a 404 while everything else is unknown', async () => {
  forget()
  for (const other of [{ source_network: 'OMEGA' }, { destination_network: 'GAMMA', destination_token: 'USDC' }])
    expect(await api.refuse(url('limits', { ...ROUTE, ...other }))).toMatchObject({ status: 404 })
})
