/**
 * Attack B7, varied: strangers fill the places of those who wait for their password to be checked. An operator at an address that is known
 * must get in at the first try.
 */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../../server/src/console/credentials.ts'
import { consoleRoutes } from '../../../server/src/console/routes.ts'
import { admin } from '../../support/service/accounts.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'
import { signatureOf } from '../../support/service/console.ts'

const PASSWORD = 'a long enough password'
const STEP_MS = 30_000
const HERE = { host: 'localhost', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
const HOME = '198.51.100.7'
/** Of these each fills five of the forty places at a time, and twenty in a quarter of an hour. */
const STRANGERS = 16

let api: TestApi
let secret: string
let later = 0
const now = () => new Date(Date.now() + later)
const code = () => codeAt(secret, BigInt(Math.floor(now().getTime() / STEP_MS)))
const post = (url: string, payload: object, remoteAddress = HOME) =>
  api.server.inject({ method: 'POST', url: `/operator/api${url}`, payload, headers: HERE, remoteAddress })

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
  later += STEP_MS
  expect((await post('/login', { name: 'alice', password: PASSWORD, code: code() })).statusCode).toBe(200)
  later += STEP_MS
})
afterAll(() => api.stop())

test('sixteen addresses do not keep an operator out who has logged in here before', { timeout: 120_000 }, async () => {
  const began = performance.now()
  let isOver = false
  const stranger = async (n: number, place: number) => {
    for (let sent = 0; !isOver; sent++) {
      const wrong = { name: `name${n}-${place}-${sent}`, password: 'wrong', code: '' }
      const { body } = await post('/login', wrong, `203.0.113.${n + 1}`)
      if (/more than|Too many tries/.test(body)) return
      // A refused request is on its way for a moment.
      if (body.includes('Again soon')) await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const flood = Array.from({ length: STRANGERS }, (_, n) =>
    [0, 1, 2, 3, 4, 5].map((place) => stranger(n, place)),
  ).flat()
  const flooding = Promise.all(flood).then(() => {
    isOver = true
  })
  const answers: number[] = []
  while (!isOver && !answers.includes(200)) {
    const { statusCode } = await post('/login', { name: 'alice', password: PASSWORD, code: code() })
    answers.push(statusCode)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  console.log(answers.join(' '), `${Math.round(performance.now() - began)} ms`)
  isOver = true
  await flooding
  expect(answers).toEqual([200])
})
