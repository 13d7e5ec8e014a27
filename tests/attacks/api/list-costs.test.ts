/**
 * Attack A5: however slow a list query is, and however many run at once, one client never takes all list connections.
 * The next client's list is answered.
 */
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApi } from '../../../server/src/api/server.ts'
import { openDatabase, openPool } from '../../../server/src/store/db/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

/** As many as the service reserves for lists. */
const CONNECTIONS = 3
const [ATTACKER, VICTIM] = ['198.51.100.1', '203.0.113.9']

let api: TestApi
let server: FastifyInstance
let stop: () => Promise<void>
/** Queries that wait in the database. */
let asked: string[]
let answer: () => void
let gate: Promise<void>

beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_READS: '100000' })
  const { databaseUrl } = api.services.config
  const pool = openPool(databaseUrl, CONNECTIONS)
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const slow = async (...given: unknown[]) => {
      asked.push(JSON.stringify(given))
      await gate
      return query(...given)
    }
    client.query = slow as typeof client.query
  })
  const reading = openDatabase(databaseUrl, pool)
  server = await createApi({ ...api.services, reading })
  stop = async () => {
    await server.close()
    await reading.destroy()
  }
})
afterAll(async () => {
  await stop()
  await api.stop()
})
beforeEach(() => {
  asked = []
  gate = new Promise((resolve) => {
    answer = resolve
  })
})

const get = (remoteAddress: string, path: string) => server.inject({ url: `/api/v2/${path}`, remoteAddress })

test.each([
  'explorer?networks=ALPHA',
  'explorer?statuses=failed&page=500',
  'explorer/attacker',
  'swaps?address=attacker',
  'swaps/internal?addresses=attacker',
  'internal/swaps?address=attacker',
])('whoever asks for GET %s without end leaves room for others', async (path) => {
  const flood = Array.from({ length: 2 * CONNECTIONS }, () => get(ATTACKER, path))
  await eventually(async () => asked.length > 0, 'the flood to begin')
  const other = get(VICTIM, 'swaps?address=victim')
  await eventually(
    async () => asked.some((statement) => statement.includes('victim')),
    "the other's list to be looked up",
  )
  // The first query of each client, and none of those behind it.
  expect(asked.filter((statement) => !statement.includes('victim'))).toHaveLength(1)
  answer()
  expect((await other).statusCode).toBe(200)
  expect((await Promise.all(flood)).map(({ statusCode }) => statusCode)).toEqual(flood.map(() => 200))
})

test('lists beyond the queue are refused, and queued ones are answered', async () => {
  const flood = Array.from({ length: 30 }, () => get(ATTACKER, 'explorer'))
  const refused = await Promise.race(flood)
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
  answer()
  const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(21)
  expect(statuses.filter((status) => status === 429)).toHaveLength(9)
  expect((await get(ATTACKER, 'explorer')).statusCode).toBe(200)
})
