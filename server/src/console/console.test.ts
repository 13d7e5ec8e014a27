/** The console's calls: login, roles, and that no foreign page can change anything. */
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { admin } from '../../../tests/support/service/accounts.ts'
import { startApi, type TestApi } from '../../../tests/support/service/api.ts'
import {
  get,
  HERE,
  openConsole,
  PASSWORD,
  post,
  type Seat,
  STEP_MS,
  type TestConsole,
} from '../../../tests/support/service/console.ts'
import { signatureJudge } from '../admin/context/identity.ts'
import { insertAudit, listAudit, verifyAudit } from '../store/operators/audit.ts'
import { admitSandbox } from '../store/operators/operators.ts'
import { codeAt } from './credentials.ts'

let api: TestApi
let console_: TestConsole
let later = 0
const now = () => new Date(Date.now() + later)

beforeAll(async () => {
  api = await startApi({}, now)
  const passTime = (ms: number) => {
    later += ms
  }
  console_ = openConsole(api.services, passTime, api.server)
  for (const role of ['viewer', 'support', 'operator', 'admin']) await person(role, role)
})
afterAll(() => api.stop())
beforeEach(() => {
  later += 20 * 60_000
})

const person = (name: string, role: string): Promise<void> => console_.person(name, role)
const codeOf = (name: string): string => console_.codeOf(name)
const seat = (name: string): Promise<Seat> => console_.seat(name)
const told = (request: InjectOptions) => console_.told(request)
const refused = (request: InjectOptions) => console_.refused(request)

const pause = { noun: 'switch', verb: 'pause', values: { scope: 'network:ALPHA', what: 'both' }, reason: 'a look' }
const resume = { noun: 'switch', verb: 'resume', values: { scope: 'network:ALPHA' }, reason: 'all is well' }

test('name, password and code are all required, and an error does not reveal which is wrong', async () => {
  const code = codeOf('admin')
  const wrong = [
    { name: 'nobody', password: PASSWORD, code },
    { name: 'admin', password: 'wrong', code },
    { name: 'admin', password: PASSWORD, code: '000000' },
    { name: 'admin', password: PASSWORD },
  ]
  for (const given of wrong) expect(await refused(post('/login', given))).toEqual([401, 'WRONG'])
  expect(await refused(get('/overview'))).toEqual([401, 'NO_SESSION'])
})

test('a code and an invitation are valid once', async () => {
  await seat('viewer')
  const again = post('/login', { name: 'viewer', password: PASSWORD, code: codeOf('viewer') })
  expect(await refused(again)).toEqual([401, 'WRONG'])
  const invite = /#([\w-]+)/.exec(await admin(api.services, 'operator', 'invite', 'viewer'))?.[1] ?? ''
  const accept = console_.acceptance('viewer', invite, await told(post('/invite', { invite })))
  expect(await refused(post('/invite/accept', { invite, password: 'short', code: codeOf('viewer') }))).toEqual([
    400,
    'NOT_VALID',
  ])
  await told(accept)
  expect(await refused(accept)).toEqual([404, 'NOT_FOUND'])
})

test('after five wrong attempts a name is locked for every client, even with the right password', async () => {
  for (let tries = 0; tries < 5; tries++) {
    expect(await refused(post('/login', { name: 'support', password: `${tries}`, code: '' }))).toEqual([401, 'WRONG'])
  }
  const right = () => post('/login', { name: 'support', password: PASSWORD, code: codeOf('support') })
  expect(await refused(right())).toEqual([429, 'TOO_MANY'])
  later += 15 * 60_000
  await told(right())
})

test('concurrent attempts count as consecutive ones', async () => {
  const tries = Array.from({ length: 12 }, (_, n) =>
    refused(post('/login', { name: 'operator', password: `${n}`, code: '' })),
  )
  const codes = (await Promise.all(tries)).map(([status]) => status)
  expect(codes.filter((status) => status === 401)).toHaveLength(5)
  expect(codes.filter((status) => status === 429)).toHaveLength(7)
})

test('a page of another origin changes nothing, even with the cookie', async () => {
  const own = await seat('admin')
  const foreign = [
    post('/act', pause, own, { 'sec-fetch-site': 'cross-site' }),
    post('/act', pause, own, { 'sec-fetch-site': 'same-site' }),
    post('/act', pause, own, { 'sec-fetch-site': 'none' }),
    post('/act', pause, own, { 'x-operator-token': 'guessed' }),
    post('/act', pause, { ...own, token: '' }),
    { ...post('/act', {}, own, { 'content-type': 'application/x-www-form-urlencoded' }), payload: 'noun=switch' },
    post('/login', {}, undefined, { 'sec-fetch-site': 'cross-site' }),
    post('/logout', {}, own, { 'sec-fetch-site': 'cross-site' }),
  ]
  for (const request of foreign) expect((await api.server.inject(request)).statusCode).toBeGreaterThanOrEqual(400)
  expect((await told(get('/look/switch/list', own))).tables[0]?.rows ?? []).toEqual([])
  for (const method of ['GET', 'OPTIONS'] as const) {
    const headers = { ...HERE, origin: 'https://elsewhere.example' }
    const answer = await api.server.inject({ method, url: '/operator/api/session', headers })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('a login over an unencrypted connection is refused', async () => {
  const given = { name: 'admin', password: PASSWORD, code: codeOf('admin') }
  expect(await refused(post('/login', given, undefined, { host: 'swap.example' }))).toEqual([403, 'PLAIN_HTTP'])
})

test('each role may do what it may on the command line, and the log says who and why', async () => {
  const [viewer, operator, boss] = [await seat('viewer'), await seat('operator'), await seat('admin')]
  expect(await refused(post('/act', pause, viewer))).toEqual([403, 'ROLE'])
  await told(post('/act', pause, operator))
  expect((await told(get('/overview', viewer))).paused).toMatchObject([{ scope: 'network:ALPHA', reason: 'a look' }])
  expect(await refused(post('/act', resume, operator))).toEqual([403, 'ROLE'])
  expect(await refused(post('/act', { ...resume, reason: ' ' }, boss))).toEqual([400, 'NO_REASON'])
  await told(post('/act', resume, boss))
  const [resumed, paused] = (await listAudit(api.services.database, 10)).filter(({ action }) =>
    /paused|resumed/.test(action),
  )
  expect([paused?.actor, resumed?.actor]).toEqual(['console operator', 'console admin'])
  expect([paused?.data.reason, resumed?.data.reason]).toEqual(['a look', 'all is well'])
  expect((await verifyAudit(api.services.database, signatureJudge(), null)).chained).toBeGreaterThan(10)
})

test('a loosening command needs a recent password', async () => {
  const boss = await seat('admin')
  await told(post('/act', pause, boss))
  later += 6 * 60_000
  expect(await refused(post('/act', resume, boss))).toEqual([401, 'STALE'])
  expect(await refused(post('/prove', { password: 'wrong', code: codeOf('admin') }, boss))).toEqual([401, 'WRONG'])
  await told(post('/prove', { password: PASSWORD, code: codeOf('admin') }, boss))
  await told(post('/act', resume, boss))
})

test('a session ends after half an hour idle, after twelve hours, and on logout', async () => {
  const [silent, busy, left] = [await seat('viewer'), await seat('admin'), await seat('support')]
  await told(post('/logout', {}, left))
  expect(await refused(get('/overview', left))).toEqual([401, 'NO_SESSION'])
  for (let minutes = 0; minutes < 12 * 60 - 40; minutes += 20) {
    later += 20 * 60_000
    await told(get('/look/switch/list', busy))
  }
  expect(await refused(get('/overview', silent))).toEqual([401, 'NO_SESSION'])
  later += 25 * 60_000
  await told(get('/look/switch/list', busy))
  later += 25 * 60_000
  expect(await refused(get('/overview', busy))).toEqual([401, 'NO_SESSION'])
})

test('background requests of a page keep no session alive', async () => {
  const own = await seat('viewer')
  for (let minutes = 0; minutes < 30; minutes += 10) {
    later += 9 * 60_000
    await told(get('/overview', own))
    await told(get('/session', own))
  }
  later += 4 * 60_000
  expect(await refused(get('/overview', own))).toEqual([401, 'NO_SESSION'])
})

test('a cookie alone sends no money: the sender must have given the password recently', async () => {
  const own = await seat('operator')
  later += 6 * 60_000
  const id = '00000000-0000-4000-8000-000000000000'
  for (const [noun, verb] of [
    ['swap', 'refund'],
    ['payout', 'approve'],
    ['unmatched', 'refund'],
  ]) {
    expect(await refused(post('/act', { noun, verb, values: { id }, reason: 'x' }, own)), verb).toEqual([401, 'STALE'])
  }
})

test('opening an invitation changes nothing until it is accepted, which ends existing sessions', async () => {
  await person('guest', 'viewer')
  const own = await seat('guest')
  const printed = await admin(api.services, 'operator', 'invite', 'guest')
  expect(await refused(get('/overview', own))).toEqual([401, 'NO_SESSION'])
  const invite = /#([\w-]+)/.exec(printed)?.[1] ?? ''
  const opened = [await told(post('/invite', { invite })), await told(post('/invite', { invite }))]
  await seat('guest')
  // The secret that was shown first is no longer valid.
  const codes = opened.map(({ code_secret }) => codeAt(code_secret, BigInt(Math.floor(now().getTime() / STEP_MS))))
  const signature = console_.signedBy('guest', opened[1].sign)
  const accept = (code: string | undefined) => post('/invite/accept', { invite, password: PASSWORD, code, signature })
  expect(await refused(accept(codes[0]))).toEqual([400, 'NOT_VALID'])
  await told(accept(codes[1]))
  const http = post('/invite', { invite }, undefined, { host: 'swap.example' })
  expect(await refused(http)).toEqual([403, 'PLAIN_HTTP'])
})

test('whatever is typed as a name, the audit log stays valid and stores no password', async () => {
  const before = (await listAudit(api.services.database, 1))[0]?.id
  for (const name of ['\ud800x', 'my secret password', 'a\u0000b'])
    expect(await refused(post('/login', { name, password: 'x' }))).toEqual([401, 'WRONG'])
  expect((await listAudit(api.services.database, 1))[0]?.id).toBe(before)
  await insertAudit(api.services.database, { actor: 'console \ud800', action: 'x', data: {} })
  expect((await verifyAudit(api.services.database, () => true, null)).problems).toEqual([])
})

test('others cannot lock an operator out', async () => {
  for (let tries = 0; tries < 6; tries++) {
    const from = { ...post('/login', { name: 'admin', password: 'x' }), remoteAddress: `10.0.0.${tries}` }
    expect(await refused(from)).toEqual([401, 'WRONG'])
  }
  await seat('admin')
})

test('a removed operator is logged out at once', async () => {
  await person('leaver', 'operator')
  const own = await seat('leaver')
  await told(get('/overview', own))
  await admin(api.services, 'operator', 'remove', 'leaver')
  expect(await refused(get('/overview', own))).toEqual([401, 'NO_SESSION'])
})

test('no file of the server is read for a client, and no value becomes an option', async () => {
  const boss = await seat('admin')
  const add = { noun: 'operator', verb: 'add', names: ['thief'], reason: 'x' }
  const file = { ...add, values: { role: 'admin', key: '/etc/passwd' } }
  const answer = await api.server.inject(post('/act', file, boss))
  expect([answer.statusCode, answer.body.includes('root')]).toEqual([400, false])
  expect(await refused(post('/act', { ...pause, values: { scope: '--what', what: 'both' } }, boss))).toEqual([
    400,
    'NOT_VALID',
  ])
  expect(await refused(post('/act', { ...add, names: ['--help'], values: {} }, boss))).toEqual([400, 'NOT_VALID'])
  expect(await refused(get('/look/switch/pause', boss))).toEqual([405, 'AN_ACT'])
})

test('the sandbox’s own login works in a sandbox only', async () => {
  await admitSandbox(api.services.database)
  const given = { name: 'sandbox', password: 'sandbox' }
  expect(await refused(post('/login', given))).toEqual([401, 'WRONG'])
  expect((await told(get('/session'))).sandbox).toBeNull()
})
