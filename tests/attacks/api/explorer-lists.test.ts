/**
 * A request with a long list must not cost more than one with a short list. Whatever a caller lists, the statement
 * stays the same, names each item once, and contains only names of the catalogue.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, openPool } from '../../../server/src/store/db/database.ts'
import { listSwaps } from '../../../server/src/store/swaps/swap-list.ts'
import { filterOf, type ListRequest } from '../../../server/src/swaps/listing.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
  api.server.get('/slow', async () => {
    throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  })
})
afterAll(() => api.stop())

const ASKED: ListRequest = {
  addresses: [],
  referenceId: null,
  owner: null,
  statuses: [],
  includeExpired: false,
  networks: [],
  page: 1,
}

/** The SQL text of the list query, as sent to the database. */
async function statementFor(request: Partial<ListRequest>): Promise<string> {
  const { config, catalogue } = api.services
  const texts: string[] = []
  const pool = openPool(config.databaseUrl, 1)
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const told = (text: unknown, ...more: unknown[]) => {
      texts.push(String(text))
      return query(text, ...more)
    }
    client.query = told as typeof client.query
  })
  const reading = openDatabase(config.databaseUrl, pool)
  try {
    await listSwaps(reading, catalogue, filterOf(api.services, { ...ASKED, ...request }))
  } finally {
    await reading.destroy()
  }
  const [list = ''] = texts
  expect(list).toContain('unnest')
  return list
}

test('a name that is in the list 1,500 times is looked up once', async () => {
  const once = await statementFor({ networks: ['ALPHA'] })
  expect(await statementFor({ networks: Array(1_500).fill('ALPHA') })).toBe(once)
  expect(await statementFor({ networks: ['ALPHA', 'alpha', '1000', 'NOBODY', 'BETA'] })).toBe(once)
  const filter = filterOf(api.services, { ...ASKED, networks: ['ALPHA', '1000', 'NOBODY', 'BETA', 'BETA'] })
  expect(filter.networks).toEqual(['ALPHA', 'BETA'])
})

test('more addresses do not make the statement longer', async () => {
  const one = await statementFor({ addresses: ['a'] })
  expect(await statementFor({ addresses: Array.from({ length: 20 }, (_, n) => `a${n}`) })).toBe(one)
})

test('the original attack: 1,500 names in one GET', async () => {
  const answer = await api.server.inject(`/api/v2/explorer?networks=${Array(1_500).fill('ALPHA').join(',')}`)
  expect(answer.statusCode).toBe(200)
  const made = Array.from({ length: 1_500 }, (_, n) => `N${n}`).join(',')
  for (const list of ['networks', 'statuses', 'address', 'addresses']) {
    expect((await api.server.inject(`/api/v2/explorer?${list}=${made}`)).statusCode, list).toBe(400)
  }
  for (const place of ['networks', 'sources', 'destinations']) {
    expect((await api.server.inject(`/api/v2/${place}?network_types=${made}`)).statusCode, place).toBe(400)
  }
})

test('a list of networks finds swaps from and to each of them once, and unknown names find nothing', async () => {
  const swap = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
    destination_address: await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001),
    amount: 20,
  }
  const made = await api.server.inject(post('/api/v2/swaps', swap))
  expect(made.statusCode, made.body).toBe(200)
  const count = async (names: string) =>
    (await api.server.inject(`/api/v2/explorer?networks=${names}`)).json().data.length
  expect([await count('ALPHA'), await count('BETA,ALPHA'), await count('GAMMA'), await count('NOBODY')]).toEqual([
    1, 1, 0, 0,
  ])
})

test('paging ends at the newest ten thousand', async () => {
  expect((await api.server.inject('/api/v2/explorer?page=500')).statusCode).toBe(200)
  expect((await api.server.inject('/api/v2/explorer?page=501')).body).toBe('{"data":[]}')
})

test('a database that takes too long is a 503 with Retry-After, not a 500', async () => {
  const answer = await api.server.inject('/slow')
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
  expect(answer.json().error.code).toBe('SERVICE_BUSY')
})
