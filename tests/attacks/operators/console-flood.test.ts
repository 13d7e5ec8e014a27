/**
 * An attacker who reaches the console must not lock its users out: not by many attempts, not by the many IPv6 addresses
 * of one machine. In an emergency operators must get in.
 */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { codeAt } from '../../../server/src/console/credentials.ts'
import { consoleRoutes } from '../../../server/src/console/routes.ts'
import { admin } from '../../support/service/accounts.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'
import { signatureOf } from '../../support/service/console.ts'

const PASSWORD = 'a long enough password'
const STEP_MS = 30_000
const HERE = { host: 'localhost', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
const HOME = '2001:db8:1::1'

let api: TestApi
let secret: string
let later = 0
const now = () => new Date(Date.now() + later)

beforeAll(async () => {
  api = await startApi({}, now)
  consoleRoutes(api.server, { ...api.services, isSandbox: false })
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  await admin(api.services, 'operator', 'add', 'alice', '--role', 'admin', `--key=${key}`)
  const invite = /#([\w-]+)/.exec(await admin(api.services, 'operator', 'invite', 'alice'))?.[1] ?? ''
  const opened = (await post('/invite', { invite })).json().data
  secret = opened.code_secret
  const signature = signatureOf(opened.sign, privateKey)
  expect((await post('/invite/accept', { invite, password: PASSWORD, code: code(), signature })).statusCode).toBe(200)
})
afterAll(() => api.stop())
beforeEach(() => {
  later += 20 * 60_000
})

const code = () => codeAt(secret, BigInt(Math.floor(now().getTime() / STEP_MS)))

const post = (url: string, payload: object, remoteAddress = HOME) =>
  api.server.inject({ method: 'POST', url: `/operator/api${url}`, payload, headers: HERE, remoteAddress })

const tries = (addresses: string[], name: string) =>
  Promise.all(addresses.map((address) => post('/login', { name, password: 'wrong', code: '' }, address)))

async function comesIn(): Promise<void> {
  const answer = await post('/login', { name: 'alice', password: PASSWORD, code: code() })
  expect(answer.statusCode, answer.body).toBe(200)
}

test('all addresses of a /64 count as one and cannot lock a name by taking turns', async () => {
  const addresses = Array.from({ length: 60 }, (_, n) => `2001:db8:bad:cafe::${(n + 1).toString(16)}`)
  const statuses: number[] = []
  for (const address of addresses) statuses.push((await tries([address], 'alice'))[0]?.statusCode ?? 0)
  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  await comesIn()
})

test('a flood from one address leaves room among those who wait', async () => {
  const flood = tries(
    Array.from({ length: 60 }, () => '198.51.100.1'),
    'bob',
  )
  await comesIn()
  const statuses = (await flood).map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  // A client that is locked out for a quarter of an hour gets that answer at once.
  const [refused] = await tries(['198.51.100.1'], 'bob')
  expect(refused?.json().error).toMatchObject({ code: 'TOO_MANY', message: 'Too many tries. Again in 15 min.' })
})

test('strangers who fill the queue keep out no operator who has logged in at this address before', async () => {
  await comesIn()
  later += STEP_MS
  let isOver = false
  // Each address may have five of the forty places.
  const strangers = Array.from({ length: 16 }, (_, n) =>
    tries(Array<string>(5).fill(`203.0.113.${n + 1}`), `stranger${n}`),
  )
  const flood = Promise.all(strangers).then(() => {
    isOver = true
  })
  await comesIn()
  expect(isOver).toBe(false)
  await flood
})

test('a locked-out client takes no turn, whatever name it gives', async () => {
  for (let n = 0; n < 20; n++) await tries(['198.51.100.7'], `name${n}`)
  const flood = tries(
    Array.from({ length: 45 }, () => '198.51.100.7'),
    'alice',
  )
  expect((await flood).map(({ statusCode }) => statusCode)).toEqual(Array(45).fill(429))
  await comesIn()
})

test('ten /64 networks of one /48 do not lock a name for others', async () => {
  const networks = Array.from({ length: 12 }, (_, n) => `2001:db8:bad:${(n + 1).toString(16)}::1`)
  let wrong = 0
  for (const address of networks)
    for (let n = 0; n < 5; n++) wrong += Number((await tries([address], 'alice'))[0]?.statusCode === 401)
  expect(wrong).toBe(10)
  const elsewhere = await post('/login', { name: 'alice', password: PASSWORD, code: code() }, '2001:db8:2::9')
  expect(elsewhere.statusCode, elsewhere.body).toBe(200)
})

test('many networks lock a name, but not at an address from which its operator has logged in', async () => {
  for (let n = 0; n < 12; n++) for (let attempt = 0; attempt < 5; attempt++) await tries([`198.51.${n}.1`], 'alice')
  const unknown = await post('/login', { name: 'alice', password: PASSWORD, code: code() }, '203.0.113.50')
  expect(unknown.statusCode).toBe(429)
  await comesIn()
})

test('the routes that need no session have a rate limit', async () => {
  const limited = await startApi({ RATE_LIMIT_READS: '10' }, now)
  try {
    consoleRoutes(limited.server, { ...limited.services, isSandbox: false })
    const ask = (remoteAddress: string) =>
      limited.server.inject({ url: '/operator/api/session', headers: HERE, remoteAddress })
    const answers: number[] = []
    for (let n = 0; n < 15; n++) answers.push((await ask('198.51.100.9')).statusCode)
    expect(answers.filter((status) => status === 429)).toHaveLength(5)
    expect((await ask('198.51.100.10')).statusCode).toBe(200)
  } finally {
    await limited.stop()
  }
})

test('requests of one IPv6 client above its own limit take nothing from its neighbours', async () => {
  const limited = await startApi({ RATE_LIMIT_READS: '3' }, now)
  try {
    consoleRoutes(limited.server, { ...limited.services, isSandbox: false })
    const ask = async (remoteAddress: string) =>
      (await limited.server.inject({ url: '/operator/api/session', headers: HERE, remoteAddress })).statusCode
    for (let n = 0; n < 60; n++) await ask('2001:db8:5:1::1')
    expect([await ask('2001:db8:5:1::1'), await ask('2001:db8:5:2::1')]).toEqual([429, 200])
  } finally {
    await limited.stop()
  }
})
