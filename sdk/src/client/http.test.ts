/** The client's calls: what is retried, how long it waits, and which error is thrown. */
import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import {
  AmountLimitError,
  ConflictError,
  ForbiddenError,
  NoAnswerError,
  NotReadyError,
  RateLimitError,
  ServiceError,
} from './errors.ts'

interface Sent {
  url: string
  method: string
  headers: Headers
  body: string | null
}

/** A client whose responses are given in turn; the last one repeats. */
function clientOf(answers: (Response | Error)[], options: { maxWaitMs?: number; retries?: number } = {}) {
  const sent: Sent[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { method = 'GET', body } = init ?? {}
    sent.push({ url: String(url), method, headers: new Headers(init?.headers), body: body ? String(body) : null })
    const answer = answers[Math.min(sent.length, answers.length) - 1]
    if (!(answer instanceof Response)) throw answer ?? new Error('no answer')
    return answer.clone()
  }
  return { client: createClient({ baseUrl: 'https://swap.example/', apiKey: 'key', fetch, ...options }), sent }
}
const data = (value: unknown) => Response.json({ data: value })
const failure = (status: number, code: string, headers: Record<string, string> = {}, metadata = {}) =>
  Response.json({ error: { code, message: 'No.', metadata } }, { status, headers })
const ROUTE = { source_network: 1, source_token: 'ETH', destination_network: 'B', destination_token: 'USDC' }

test('a call carries the key and its parameters, and opens the envelope', async () => {
  const { client, sent } = clientOf([data([])])
  expect(await client.networks({ network_types: ['evm', 'ton'] })).toEqual([])
  await client.quote({ ...ROUTE, amount: '0.1', refuel: true })
  expect(sent.map(({ url }) => url)).toEqual([
    'https://swap.example/api/v2/networks?network_types=evm&network_types=ton',
    'https://swap.example/api/v2/quote?source_network=1&source_token=ETH&destination_network=B&destination_token=USDC&amount=0.1&refuel=true',
  ])
  expect(sent[0]?.headers.get('x-ls-apikey')).toBe('key')
})

test('a lost connection and a temporary failure are retried', async () => {
  const { client, sent } = clientOf([new TypeError('reset'), failure(503, 'UNEXPECTED_ERROR'), data({})])
  await client.limits(ROUTE)
  expect(sent).toHaveLength(3)
})

test('a short Retry-After is waited for, a long one is not', async () => {
  const soon = clientOf([failure(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '1' }), data({})])
  const started = performance.now()
  await soon.client.limits(ROUTE)
  expect(performance.now() - started).toBeGreaterThanOrEqual(990)
  const late = clientOf([failure(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' })])
  const error = await late.client.limits(ROUTE).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(RateLimitError)
  expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429, retryAfterMs: 3_600_000 })
  expect(late.sent).toHaveLength(1)
})

test('a service that is not ready is retried, and reported differently from one that failed', async () => {
  const starting = failure(503, 'SERVICE_STARTING', { 'retry-after': '1' })
  const soon = clientOf([starting, data({})])
  await soon.client.limits(ROUTE)
  expect(soon.sent).toHaveLength(2)
  const error = await clientOf([starting], { retries: 0 })
    .client.limits(ROUTE)
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(NotReadyError)
  expect(error).toMatchObject({ name: 'NotReadyError', code: 'SERVICE_STARTING', retryAfterMs: 1000 })
  const broken = clientOf([failure(500, 'UNEXPECTED_ERROR')], { retries: 0 })
  expect(await broken.client.limits(ROUTE).catch((thrown) => thrown)).not.toBeInstanceOf(NotReadyError)
})

test('creation is retried with the same idempotency key; a POST without one is not', async () => {
  const swap = { ...ROUTE, destination_address: 'x', amount: 1 }
  const { client, sent } = clientOf([new TypeError('reset'), data({})])
  await client.createSwap(swap)
  expect(sent).toHaveLength(2)
  expect(sent[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
  expect(sent[1]?.headers.get('idempotency-key')).toBe(sent[0]?.headers.get('idempotency-key'))
  await client.createSwap(swap, { idempotencyKey: 'mine' })
  expect(sent[2]?.headers.get('idempotency-key')).toBe('mine')
  const hint = clientOf([new TypeError('reset')])
  await expect(hint.client.speedUp('id', 'hash')).rejects.toThrow(NoAnswerError)
  expect(hint.sent).toHaveLength(1)
})

test('retries are bounded', async () => {
  const { client, sent } = clientOf([failure(500, 'UNEXPECTED_ERROR')], { retries: 1 })
  await expect(client.limits(ROUTE)).rejects.toThrow(ServiceError)
  expect(sent).toHaveLength(2)
})

test('each kind of failure has its class, with the service’s response', async () => {
  const thrown = (answer: Response) =>
    clientOf([answer], { retries: 0 })
      .client.limits(ROUTE)
      .catch((error) => error)
  expect(await thrown(failure(403, 'API_KEY_FORBIDDEN'))).toBeInstanceOf(ForbiddenError)
  expect(await thrown(failure(409, 'IDEMPOTENCY_KEY_REUSED'))).toBeInstanceOf(ConflictError)
  const limit = await thrown(failure(400, 'LESS_THAN_MIN_ERROR', { 'x-ls-correlation-id': 'c' }, { AmountLimit: 0.5 }))
  expect(limit).toBeInstanceOf(AmountLimitError)
  expect(limit).toMatchObject({ limit: 0.5, code: 'LESS_THAN_MIN_ERROR', status: 400, correlationId: 'c' })
  expect(await thrown(new Response('<html>', { status: 502 }))).toMatchObject({ status: 502, code: 'UNEXPECTED_ERROR' })
  expect(await thrown(new Response(null, { status: 302 }))).toMatchObject({ status: 302 })
})

test('a caller can abort', async () => {
  const { client } = clientOf([failure(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '20' })])
  const stop = new AbortController()
  const call = client.limits(ROUTE, { signal: stop.signal })
  setTimeout(() => stop.abort(new Error('enough')), 20)
  await expect(call).rejects.toThrow('enough')
})

test('without an event stream a swap is polled until it ends', async () => {
  const swap = (status: string) => data({ swap: { status, fail_reason: null, transactions: [] } })
  const answers = [swap('user_transfer_pending'), swap('user_transfer_pending'), swap('completed')]
  const fetch: typeof globalThis.fetch = async (url) => {
    if (String(url).endsWith('/events')) return failure(404, 'NOT_FOUND')
    return (answers.length > 1 ? answers.shift() : answers[0]?.clone()) ?? swap('failed')
  }
  const client = createClient({ baseUrl: 'https://swap.example', fetch })
  const seen: string[] = []
  for await (const told of client.watchSwap('id', { pollMs: 1 })) seen.push(told.swap.status)
  expect(seen).toEqual(['user_transfer_pending', 'completed'])
  expect((await client.waitForSwap('id', { pollMs: 1 })).swap.status).toBe('completed')
})
