/** API keys, rate limits and idempotent requests. */
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { CreatedSwap } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../tests/support/runner/eventually.ts'
import { admin, found, keyOf } from '../../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { parseConfig } from '../../../config.ts'
import { findClaim, forgetKeys } from '../../../store/swaps/idempotency.ts'
import { createRateLimiter } from '../../access/rate-limit.ts'

let api: TestApi
let recipient: string
beforeAll(async () => {
  api = await startApi()
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterAll(() => api.stop())

const NETWORKS = '/api/v2/networks'
const withKey = (key: string) => ({ url: NETWORKS, headers: { 'x-ls-apikey': key } })
const statusWith = async (key: string) => (await api.server.inject(withKey(key))).statusCode
/** Key lookups are cached for a moment. */
const untilForbidden = (key: string) => eventually(async () => (await statusWith(key)) === 403, 'being forbidden')

function creation(fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
    destination_address: recipient,
    amount: 100,
  }
  return { ...post('/api/v2/swaps', { ...route, ...fields }), headers }
}
const create = (fields?: Record<string, unknown>, headers?: Record<string, string>) =>
  api.ask(CreatedSwap, creation(fields, headers))
const appIn = async (swapId: string) =>
  (
    await api.services.database
      .selectFrom('swap')
      .leftJoin('app', 'app.id', 'swap.app_id')
      .select('app.name')
      .where('swap.id', '=', swapId)
      .executeTakeFirstOrThrow()
  ).name

test('a key of this environment is accepted, one of the other is forbidden', async () => {
  expect(await statusWith(await keyOf(api.services, 'shop'))).toBe(200)
  const refused = await api.refuse(withKey(await keyOf(api.services, 'shop', 'mainnet')))
  expect(refused).toMatchObject({ status: 403, code: 'API_KEY_FORBIDDEN' })
})

test('the networks folder sets the environment, unless it is configured', () => {
  const environment = (env: Record<string, string>) =>
    parseConfig({ DATABASE_URL: 'postgres://x', SIGNER: 'mnemonic', MNEMONIC: 'x', ...env }).environment
  expect(environment({})).toBe('testnet')
  expect(environment({ NETWORKS: 'networks/mainnet' })).toBe('mainnet')
  expect(environment({ NETWORKS: mkdtempSync(path.join(os.tmpdir(), 'mainnet-')) })).toBe('testnet')
  expect(environment({ NETWORKS: 'networks/testnet', ENVIRONMENT: 'mainnet' })).toBe('mainnet')
})

test('a revoked key stops within seconds; a rotated key works until it expires', async () => {
  const list = () => admin(api.services, 'key', 'list', '--app', 'rotating')
  const first = await keyOf(api.services, 'rotating')
  const id = found(/[0-9a-f-]{36}/, await list())
  const second = found(/causeway_testnet_[\w-]{43}/, await admin(api.services, 'key', 'rotate', '--id', id))
  expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200])
  await api.services.database
    .updateTable('api_key')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('id', '=', id)
    .execute()
  const successor = found(/[0-9a-f-]{36}(?=.*live$)/m, await list())
  await untilForbidden(first)
  expect(await statusWith(second)).toBe(200)
  await admin(api.services, 'key', 'revoke', '--id', successor)
  await untilForbidden(second)
})

test('a swap belongs to the app whose key made it, and apps do not share a deposit address', async () => {
  const headers = { 'x-ls-apikey': await keyOf(api.services, 'first app') }
  const other = { 'x-ls-apikey': await keyOf(api.services, 'second app') }
  const open = { use_deposit_address: true }
  const [mine, again, theirs, nobodys] = [
    await create(open, headers),
    await create(open, headers),
    await create(open, other),
    await create(open),
  ]
  expect(await appIn(mine.swap.id)).toBe('first app')
  expect(await appIn(theirs.swap.id)).toBe('second app')
  expect(await appIn(nobodys.swap.id)).toBeNull()
  const addresses = [mine, again, theirs, nobodys].map(({ deposit_actions: [action] }) => action?.to_address)
  expect(addresses[1]).toBe(addresses[0])
  expect(new Set(addresses).size).toBe(3)
})

test('the same key and body create one swap, another body is a conflict', async () => {
  const headers = { 'idempotency-key': 'order-1' }
  const first = await create({ reference_id: 'a' }, headers)
  expect(await create({ reference_id: 'a', unknown_field: 1 }, headers)).toEqual(first)
  const reused = await api.refuse(creation({ reference_id: 'b' }, headers))
  expect(reused).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_REUSED' })
  const apps = { ...headers, 'x-ls-apikey': await keyOf(api.services, 'careful') }
  expect((await create({ reference_id: 'b' }, apps)).swap.id).not.toBe(first.swap.id)
})

test('without an API key, idempotency keys are scoped to the caller’s address', async () => {
  const headers = { 'idempotency-key': 'order-3' }
  const from = (remoteAddress: string, reference_id: string) => ({
    ...creation({ reference_id }, headers),
    remoteAddress,
  })
  const first = await api.ask(CreatedSwap, from('203.0.113.1', 'a'))
  const other = await api.ask(CreatedSwap, from('203.0.113.2', 'b'))
  expect(other.swap).toMatchObject({ metadata: { reference_id: 'b' } })
  expect((await api.ask(CreatedSwap, from('203.0.113.1', 'a'))).swap.id).toBe(first.swap.id)
  expect(await api.refuse(from('203.0.113.1', 'b'))).toMatchObject({ status: 409 })
})

test('concurrent requests find the swap of their own scope, not of another with the same key', async () => {
  const headers = { 'idempotency-key': 'order-4' }
  for (const remoteAddress of ['203.0.113.3', '203.0.113.4'])
    await api.ask(CreatedSwap, { ...creation({}, headers), remoteAddress })
  const { database } = api.services
  const claims = await database.selectFrom('idempotency_key').selectAll().where('key', '=', 'order-4').execute()
  expect(claims).toHaveLength(2)
  const found = claims.map(({ scope, key, body_hash: bodyHash }) => findClaim(database, { scope, key, bodyHash }))
  expect(await Promise.all(found)).toEqual(claims.map(({ swap_id: swapId }) => ({ swapId, isSameBody: true })))
})

test('concurrent requests with one key create one swap', async () => {
  const headers = { 'idempotency-key': 'all at once'.replaceAll(' ', '-') }
  const made = await Promise.all(Array.from({ length: 12 }, () => create({ use_deposit_address: true }, headers)))
  expect(new Set(made.map(({ swap }) => swap.id)).size).toBe(1)
})

test('a rejected request does not use up its key, and keys expire after a day', async () => {
  const headers = { 'idempotency-key': 'order-2' }
  expect(await api.refuse(creation({ amount: 0.000001 }, headers))).toMatchObject({ code: 'LESS_THAN_MIN_ERROR' })
  const first = await create({}, headers)
  await forgetKeys(api.services.database, new Date(Date.now() + 1000))
  expect((await create({}, headers)).swap.id).not.toBe(first.swap.id)
})

test('an idempotency key has a maximum length', async () => {
  for (const key of ['', 'x'.repeat(256), 'zwei Wörter']) {
    const answer = await api.refuse(creation({}, { 'idempotency-key': key }))
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
    expect(answer.metadata).toHaveProperty('idempotency-key')
  }
})

test('every response shows the remaining limit; excess requests are rejected with the time to wait', async () => {
  const strict = await startApi({ RATE_LIMIT_READS: '3', RATE_LIMIT_CREATIONS: '1', RATE_LIMIT_KEY_FACTOR: '2' })
  try {
    const ask = (headers: Record<string, string> = {}, remoteAddress = '203.0.113.9') =>
      strict.server.inject({ url: NETWORKS, headers, remoteAddress })
    const limits = (answer: Awaited<ReturnType<typeof ask>>) =>
      ['limit', 'remaining'].map((name) => Number(answer.headers[`ratelimit-${name}`]))
    expect(limits(await ask())).toEqual([3, 2])
    await ask()
    expect(limits(await ask())).toEqual([3, 0])
    const refused = await ask()
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(refused.headers['ratelimit-reset']).toBe(refused.headers['retry-after'])
    expect((await ask({}, '203.0.113.10')).statusCode).toBe(200)
    expect((await ask({ 'x-forwarded-for': '198.51.100.1' })).statusCode).toBe(429)
    expect(limits(await ask({ 'x-ls-apikey': await keyOf(strict.services, 'shop') }))).toEqual([6, 5])
    const health = await strict.server.inject({ url: '/api/v2/health', remoteAddress: '203.0.113.9' })
    expect(health.statusCode).toBe(200)
    const post = { method: 'POST', url: '/api/v2/swaps', payload: {}, remoteAddress: '203.0.113.11' } as const
    expect([(await strict.server.inject(post)).statusCode, (await strict.server.inject(post)).statusCode]).toEqual([
      400, 429,
    ])
  } finally {
    await strict.stop()
  }
})

test('addresses of one IPv6 subnet count as one client', async () => {
  const strict = await startApi({ RATE_LIMIT_READS: '1', TRUST_PROXY: 'loopback' })
  try {
    const from = async (ip: string) =>
      (await strict.server.inject({ url: NETWORKS, headers: { 'x-forwarded-for': ip } })).statusCode
    expect(await from('2001:db8:1:2::1')).toBe(200)
    expect(await from('2001:db8:1:2:ffff::9')).toBe(429)
    expect(await from('2001:db8:1:3::1')).toBe(200)
    expect(await from('::ffff:203.0.113.5')).toBe(200)
    expect(await from('203.0.113.5')).toBe(429)
  } finally {
    await strict.stop()
  }
})

test('guessing keys is rate limited before it reaches the database', async () => {
  const strict = await startApi({ RATE_LIMIT_CREATIONS: '2' })
  try {
    const tried: number[] = []
    for (const key of ['a', 'b', 'c', 'd']) tried.push((await strict.server.inject(withKey(key))).statusCode)
    expect(tried).toEqual([403, 403, 429, 429])
    expect(await strict.server.inject(NETWORKS)).toMatchObject({ statusCode: 200 })
  } finally {
    await strict.stop()
  }
})

test('the limiter drops ended windows and never grows without bound', () => {
  let now = 0
  const config = parseConfig({ DATABASE_URL: 'postgres://x', SIGNER: 'mnemonic', MNEMONIC: 'x', RATE_LIMIT_READS: '1' })
  const limiter = createRateLimiter(config, null, () => now)
  const reply = { header: () => reply } as unknown as Parameters<typeof limiter.take>[3]
  limiter.take('first', 1, 'reads', reply)
  expect(() => limiter.take('first', 1, 'reads', reply)).toThrow('more than 1 reads a minute')
  for (let client = 0; client < 100_001; client++) limiter.take(`client ${client}`, 1, 'reads', reply)
  expect(limiter.isSpent('first', 1, 'reads')).toBe(false)
  expect(limiter.isSpent('client 100000', 1, 'reads')).toBe(true)
  now = 60_001
  expect(limiter.isSpent('client 100000', 1, 'reads')).toBe(false)
})
