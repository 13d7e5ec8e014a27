/**
 * Attack B7, varied: a page of another origin, open in an operator's browser, sends requests to the console. They are refused,
 * but they come from the operator's own address and use up its limit: the operator cannot log in, and a session gets no answer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/service/api.ts'
import { get, openConsole, PASSWORD, post, STEP_MS, type TestConsole } from '../../support/service/console.ts'

let api: TestApi
let desk: TestConsole
let later = 0
beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_CREATIONS: '30', RATE_LIMIT_READS: '100' }, () => new Date(Date.now() + later))
  desk = openConsole(api.services, (ms) => {
    later += ms
  })
  await desk.person('alice', 'admin')
})
afterAll(async () => {
  await desk.server.close()
  await api.stop()
})

/** As a browser sends it for `fetch(url, { mode: 'no-cors', method: 'POST', body: '{}' })` of another site. */
const FOREIGN = {
  host: 'localhost',
  origin: 'https://evil.example',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'no-cors',
  'content-type': 'text/plain;charset=UTF-8',
}

test('requests that a foreign page makes do not lock the operator of that browser out', async () => {
  const seat = await desk.seat('alice')
  const answers = new Set<number>()
  for (let n = 0; n < 40; n++) {
    const headers = FOREIGN
    answers.add(
      (await desk.server.inject({ method: 'POST', url: '/operator/api/login', payload: '{}', headers })).statusCode,
    )
  }
  later += STEP_MS
  const login = await desk.server.inject(
    post('/login', { name: 'alice', password: PASSWORD, code: desk.codeOf('alice') }),
  )
  const act = { noun: 'switch', verb: 'pause', values: { scope: 'service', what: 'both' }, reason: 'a leak' }
  const pause = await desk.server.inject(post('/act', act, seat))
  expect([login.statusCode, pause.statusCode], [...answers].join()).toEqual([200, 200])
})

test('nor do images of a foreign page', async () => {
  const seat = await desk.seat('alice').catch(() => null)
  const headers = {
    host: 'localhost',
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-dest': 'image',
  }
  for (let n = 0; n < 120; n++) await desk.server.inject({ url: `/operator/api/session?${n}`, headers })
  const answer = await desk.server.inject(get('/overview', seat ?? undefined))
  expect(answer.statusCode).not.toBe(429)
})

test('nor does a page of a neighbouring name, or of a name that points at this machine', async () => {
  const seat = await desk.seat('alice')
  const neighbour = { ...FOREIGN, 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' }
  const { 'sec-fetch-site': _, ...old } = FOREIGN
  const rebound = { host: 'evil.example', 'content-type': 'application/json', origin: 'http://evil.example' }
  for (const headers of [neighbour, old, { ...old, origin: 'null' }, rebound])
    for (let n = 0; n < 40; n++)
      await desk.server.inject({ method: 'POST', url: '/operator/api/login', payload: '{}', headers })
  const act = { noun: 'switch', verb: 'pause', values: { scope: 'service', what: 'both' }, reason: 'a leak' }
  expect((await desk.server.inject(post('/act', act, seat))).statusCode).toBe(200)
})

test('guesses of a program, which names no origin, stay limited', async () => {
  const payload = { name: 'alice', password: 'a guess', code: '000000' }
  const guess = async (more: object) => {
    const request = { ...post('/login', payload), ...more, remoteAddress: '198.51.100.20' }
    return (await desk.server.inject(request)).statusCode
  }
  const guesses: number[] = []
  for (let n = 0; n < 8; n++) guesses.push(await guess({}))
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  // Without the headers of a browser it gets no guess at all, and uses up its own limit.
  const refused: number[] = []
  for (let n = 0; n < 40; n++) refused.push(await guess({ headers: { host: 'localhost' } }))
  expect([refused[0], refused.at(-1)]).toEqual([403, 429])
})
