/** Answers before the framework: a caller sees no difference, and everything unusual is left to the framework. */
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyOf } from '../../../../tests/support/service/accounts.ts'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'

const READS = 400
let api: TestApi
let port: number
/** Requests that the framework saw. */
let seen = 0

beforeAll(async () => {
  api = await startApi({ ANSWER_CACHE_MS: '500', TRUST_PROXY: '1', RATE_LIMIT_READS: `${READS}` })
  api.server.addHook('onRequest', async () => {
    seen++
  })
  port = Number(new URL(await api.server.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => api.stop())

const ROUTE = 'source_network=ALPHA&source_token=USDC&destination_network=BETA&destination_token=USDC'
const quoteOf = (amount: string) => `/api/v2/quote?${ROUTE}&amount=${amount}`

interface Answer {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: { data: { quote: Record<string, unknown> }; error?: { code: string } }
  isQuick: boolean
}

/** Each test is a client of its own, as its address behind the proxy. */
async function ask(client: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const before = seen
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const more = { 'x-forwarded-for': `203.0.113.${client}`, ...headers }
    get({ port, host: '127.0.0.1', path, headers: more }, resolve).on('error', reject)
  })
  const body = JSON.parse(await text(response))
  return { status: response.statusCode, headers: response.headers, body, isQuick: seen === before }
}

/** A question is remembered for a moment only: asks until it is. */
async function askQuickly(client: number, amount: string, headers: Record<string, string> = {}): Promise<Answer> {
  for (let tries = 0; tries < 50; tries++) {
    const answer = await ask(client, quoteOf(amount), headers)
    if (answer.isQuick) return answer
  }
  throw new Error('it is never answered quickly')
}

test('a question asked a moment ago is answered quickly, with the same fields and headers', async () => {
  const slow = await ask(1, quoteOf('250.5'), { 'sec-fetch-mode': 'cors', 'x-ls-correlation-id': 'mine' })
  const quick = await askQuickly(1, '250.5', { 'x-ls-correlation-id': 'mine' })
  expect([slow.isQuick, slow.status, quick.status]).toEqual([false, 200, 200])
  const { date: _, 'ratelimit-remaining': slowLeft, ...slowHeaders } = slow.headers
  const { date: __, 'ratelimit-remaining': quickLeft, ...quickHeaders } = quick.headers
  expect(quickHeaders).toEqual({ ...slowHeaders, 'ratelimit-reset': quickHeaders['ratelimit-reset'] })
  expect(Number(quickLeft)).toBeLessThan(Number(slowLeft))
  expect(quick.body.data).toEqual({
    ...slow.body.data,
    quote: { ...slow.body.data.quote, expires_at: quick.body.data.quote.expires_at },
  })
})

test('each amount has its own quote', async () => {
  for (const amount of ['20', '20.5', '99.3']) {
    const { quote } = (await askQuickly(2, amount)).body.data
    expect(quote.requested_amount).toBe(Number(amount))
  }
})

test('a refused amount is refused by the framework, and as always', async () => {
  await askQuickly(3, '20')
  const refused = await ask(3, quoteOf('0.0000001'))
  expect([refused.isQuick, refused.status]).toEqual([false, 400])
  expect(refused.headers['access-control-allow-origin']).toBe('*')
  expect(refused.headers['x-ls-correlation-id']).toMatch(/^[\w.:-]+$/)
})

test('a browser, a named host and a body are left to the framework', async () => {
  await askQuickly(4, '20')
  for (const headers of [{ origin: 'https://app.example' }, { 'x-forwarded-host': 'swap.example' }])
    expect((await ask(4, quoteOf('20'), headers)).isQuick).toBe(false)
})

test('links have the scheme that the proxy names', async () => {
  const { quote } = (await askQuickly(5, '20', { 'x-forwarded-proto': 'https' })).body.data
  expect(JSON.stringify(quote)).toContain(`"https://127.0.0.1:${port}/logos`)
})

test('both ways count against one limit, per client', async () => {
  const statuses: (number | undefined)[] = []
  let quick = 0
  for (let n = 0; n < READS + 5; n++) {
    const answer = await ask(6, quoteOf('20'))
    statuses.push(answer.status)
    if (answer.isQuick) quick++
  }
  expect(quick).toBeGreaterThan(0)
  expect(statuses.filter((status) => status === 200)).toHaveLength(READS)
  expect(statuses.slice(READS)).toEqual([429, 429, 429, 429, 429])
  expect((await ask(7, quoteOf('20'))).status).toBe(200)
})

test('a key is checked, and its app counts', async () => {
  const headers = { 'x-ls-apikey': await keyOf(api.services, 'quick') }
  await ask(8, quoteOf('20'), headers)
  const answer = await askQuickly(8, '20', headers)
  expect(Number(answer.headers['ratelimit-limit'])).toBe(READS * api.services.config.rateLimitKeyFactor)
  const unknown = await ask(8, quoteOf('20'), { 'x-ls-apikey': 'made up' })
  expect([unknown.status, unknown.body.error?.code]).toEqual([403, 'API_KEY_FORBIDDEN'])
})
