/** Attack A15 on prices: controlling one price source, or silencing the others, must not set the price. */
import { parseDecimal, type Usd } from '@causeway/core'
import { Quoted } from '@causeway/sdk'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMarket } from '../../../server/src/market/market.ts'
import { medianPrices } from '../../../server/src/prices/median.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
/** The price of SIM from each source; null if it does not answer. */
let said: (string | null)[]
let clock = new Date('2026-03-01T12:00:00Z')
beforeAll(async () => {
  api = await startApi({}, () => clock)
})
beforeEach(() => {
  clock = new Date(clock.getTime() + 3_600_000)
})
afterAll(() => api.stop())

/** The service's market with this many sources. */
async function open(count: number): Promise<() => Promise<void>> {
  const { config, database, catalogue, chains } = api.services
  const sources = Array.from({ length: count }, (_, place) => ({
    name: `source ${place}`,
    async read(groups: readonly string[]): Promise<Map<string, Usd>> {
      const price = said[place]
      if (!price) throw new Error('silent')
      return new Map(groups.map((group) => [group, parseDecimal(group === 'SIM' ? price : '1', 18) ?? 0n]))
    },
  }))
  const options = { maxAgeMs: 300_000, maxDeviation: 2n * 10n ** 16n, now: () => clock, warn: () => undefined }
  const prices = medianPrices(sources, options)
  const market = createMarket({ config, database, catalogue, chains, prices, rules: () => null, now: () => clock })
  Object.assign(api.services, { market })
  return async () => {
    clock = new Date(clock.getTime() + 1000)
    await market.refreshPrices()
    for (const network of catalogue.networks) await market.refresh(network)
  }
}

const QUERY = new URLSearchParams({
  ...{ source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' },
  amount: '100',
})
const quote = async () => (await api.ask(Quoted, `/api/v2/quote?${QUERY}`)).quote
const refused = () => api.refuse(`/api/v2/quote?${QUERY}`)

test('if one of two sources lies, there is no price', async () => {
  said = ['2000', '2000']
  const refresh = await open(2)
  await refresh()
  const { rate } = await quote()
  expect(rate).toBe(1 / 2000)
  said = ['2000', '1000']
  await refresh()
  expect(await refused()).toMatchObject({ status: 503, code: 'PRICE_UNAVAILABLE' })
  said = ['2000', '2001']
  await refresh()
  expect((await quote()).rate).toBeCloseTo(1 / 2000.5, 8)
})

test('a single surviving source is not trusted', async () => {
  said = ['2000', '2000', '2000']
  const refresh = await open(3)
  await refresh()
  said = ['1000', null, null]
  await refresh()
  // The price of the majority is used while it is fresh, and none afterwards.
  expect((await quote()).rate).toBe(1 / 2000)
  clock = new Date(clock.getTime() + 600_000)
  await refresh()
  expect(await refused()).toMatchObject({ status: 503, code: 'PRICE_UNAVAILABLE' })
})

test('of three sources one that lies is outvoted', async () => {
  said = ['2000', '1000', '2002']
  const refresh = await open(3)
  await refresh()
  expect((await quote()).rate).toBeCloseTo(1 / 2001, 8)
})

test('the only configured source is trusted', async () => {
  said = ['1500']
  const refresh = await open(1)
  await refresh()
  expect((await quote()).rate).toBeCloseTo(1 / 1500, 8)
})

test('a start with less than a majority of price sources quotes nothing; one more, and it does', async () => {
  said = ['2000', null, null]
  const refresh = await open(3)
  for (let round = 0; round < 5; round++) {
    clock = new Date(clock.getTime() + 60_000)
    await refresh()
    expect(await refused()).toMatchObject({ code: 'PRICE_UNAVAILABLE' })
  }
  said = ['2000', null, '2000']
  await refresh()
  expect((await quote()).rate).toBe(1 / 2000)
})
