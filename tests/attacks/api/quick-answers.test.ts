/**
 * Quick answers to repeated quotes against the framework's own: odd spellings of a question, other people's hosts, keys,
 * pauses and limits. Whatever is asked, in whatever order, both ways give the same answer.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, keyOf } from '../../support/service/accounts.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
let port: number
/** Ids of the requests that the framework saw. */
const seen = new Set<string>()

beforeAll(async () => {
  api = await startApi({ ANSWER_CACHE_MS: '500', TRUST_PROXY: '1', RATE_LIMIT_READS: '100000' })
  api.server.addHook('onRequest', async ({ id }) => {
    seen.add(id)
  })
  port = Number(new URL(await api.server.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => api.stop())

const ROUTE = 'source_network=ALPHA&source_token=USDC&destination_network=BETA&destination_token=USDC'
const BASE = `/api/v2/quote?${ROUTE}`

interface Answer {
  status: number
  body: string
  isQuick: boolean
}

/** Sends bytes as they are: no client library cleans them up. */
async function raw(path: string, headers: readonly string[]): Promise<Answer> {
  const id = randomUUID()
  const text = await new Promise<string>((resolve, reject) => {
    let got = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nX-LS-Correlation-Id: ${id}\r\nConnection: close\r\n\r\n`,
      )
    })
    socket.setEncoding('utf8').on('data', (data) => {
      got += data
    })
    socket.on('error', reject).on('close', () => resolve(got))
  })
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body: rest.join('\r\n\r\n'), isQuick: !seen.has(id) }
}

const HOST = 'Host: swap.example'
const SLOW = 'Sec-Fetch-Mode: cors'

/** Everything but the time at which it was asked, and ids of errors. */
function meaning({ status, body }: Answer): string {
  const text = body.replace(/"expires_at":"[^"]*"/g, '').replace(/"correlation_id":"[^"]*"/g, '')
  return `${status} ${text}`
}

const ODD: [string, string[]][] = [
  [`${BASE}&amount=20`, [HOST]],
  [`${BASE}&amount=21`, [HOST]],
  [`${BASE}&amount=20&amount=21`, [HOST]],
  [`${BASE}&amount=&amount=20`, [HOST]],
  [`${BASE}&amount=20&amount=`, [HOST]],
  [`${BASE}&amount=20&amount[]=21`, [HOST]],
  [`${BASE}&%61mount=20`, [HOST]],
  [`${BASE}&%61mount=21&amount=20`, [HOST]],
  [`${BASE}&amount=20#`, [HOST]],
  [`${BASE}&x=#&amount=20`, [HOST]],
  [`${BASE}&amount=20;amount=21`, [HOST]],
  [`${BASE}&amount=20%00`, [HOST]],
  [`${BASE}&amount=020`, [HOST]],
  [`${BASE}&amount=+20`, [HOST]],
  [`${BASE}&amount=20&slippage=0.4`, [HOST]],
  [`${BASE}&amount=20&slippage=0.4&slippage=0.1`, [HOST]],
  [`${BASE}&AMOUNT=20`, [HOST]],
  [`${BASE}&amount=20&constructor=1`, [HOST]],
  [`${BASE}&amount=20&__proto__=1`, [HOST]],
  [`${BASE}&amount=${'9'.repeat(40)}`, [HOST]],
  [`${BASE}&amount=${'9'.repeat(41)}`, [HOST]],
  [`${BASE}&amount=0`, [HOST]],
  [`/api/v2/quote/?${ROUTE}&amount=20`, [HOST]],
  [`/api/v2/quote?&${ROUTE}&amount=20`, [HOST]],
  [`/api/v2/quote?amount=20&${ROUTE}`, [HOST]],
  [`/api/v2/quotes?${ROUTE}&amount=20`, [HOST]],
  [`/api/v2/quote%3F${ROUTE}&amount=20`, [HOST]],
  [`//api/v2/quote?${ROUTE}&amount=20`, [HOST]],
  [`http://other.example/api/v2/quote?${ROUTE}&amount=20`, [HOST]],
  [`${BASE}&amount=20`, ['Host: other.example']],
  [`${BASE}&amount=20`, ['Host: swap.example/api/v2']],
  [`${BASE}&amount=20`, ['Host: swap.example"},{"x":"']],
  [`${BASE}&amount=20`, ['Host: swap.example@evil.example']],
  [`${BASE}&amount=20`, [HOST, 'X-Forwarded-Proto: https']],
  [`${BASE}&amount=20`, [HOST, 'X-Forwarded-Proto: javascript']],
  [`${BASE}&amount=20`, [HOST, 'X-Forwarded-Host: evil.example']],
  [`${BASE}&amount=20`, [HOST, 'X-Forwarded-For: ,']],
  [`${BASE}&amount=20`, [HOST, 'X-LS-APIKEY: made up']],
  [`${BASE}&amount=20`, [HOST, 'X-LS-APIKEY: ', 'X-LS-APIKEY: made up']],
]

test('odd questions get the answer of the framework, whatever was asked before', async () => {
  const expected = await Promise.all(ODD.map(([path, headers]) => raw(path, [...headers, SLOW])))
  const answered = ODD.filter((_, position) => expected[position]?.status === 200)
  let quick = 0
  for (const [before, its] of answered) {
    for (const [position, [path, headers]] of ODD.entries()) {
      await raw(before, [...its, SLOW])
      const answer = await raw(path, headers)
      expect(meaning(answer), `${path} ${headers}`).toBe(meaning(expected[position] ?? answer))
      if (answer.isQuick) quick++
    }
  }
  expect(answered.length).toBeGreaterThan(10)
  expect(quick).toBeGreaterThan(answered.length)
})

test('a pause ends quick answers at once', async () => {
  const key = `X-LS-APIKEY: ${await keyOf(api.services, 'quick')}`
  const ask = async (...headers: string[]) => {
    await raw(`${BASE}&amount=20`, [HOST, ...headers, SLOW])
    return raw(`${BASE}&amount=20`, [HOST, ...headers])
  }
  for (const answer of [await ask(), await ask(key)]) expect(answer).toMatchObject({ status: 200, isQuick: true })
  const pause = ['--scope', 'network:BETA', '--what', 'swaps', '--reason', 'attack']
  await admin(api.services, 'switch', 'pause', ...pause)
  await api.services.safeguards.refresh()
  expect(await raw(`${BASE}&amount=20`, [HOST])).toMatchObject({ status: 404, isQuick: false })
})
