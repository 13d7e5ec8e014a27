/**
 * Limits by address, varied: some proxies (Azure Application Gateway, IIS) write the client's port behind its address in X-Forwarded-For. A
 * client has another port with each connection, and must not count as another client.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/service/api.ts'

const READS = 5

let api: TestApi
beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_READS: `${READS}`, TRUST_PROXY: '1' })
})
afterAll(() => api.stop())

async function passed(toldBy: (port: number) => string): Promise<number> {
  let good = 0
  for (let port = 50_000; port < 50_040; port++) {
    const headers = { 'x-forwarded-for': toldBy(port) }
    const answer = await api.server.inject({ url: '/api/v2/networks', remoteAddress: '127.0.0.1', headers })
    good += Number(answer.statusCode === 200)
  }
  return good
}

test.each([
  ['of an IPv4 address', (port: number) => `203.0.113.2:${port}`],
  ['of an IPv6 address', (port: number) => `[2001:db8::1]:${port}`],
])('the port %s makes no other client', async (_, toldBy) => {
  expect(await passed(toldBy)).toBe(READS)
})

test('capitals and leading zeros of an IPv6 address make no other client', async () => {
  expect(await passed((port) => (port % 2 ? '2001:DB8:0:00a1::1' : '2001:0db8:0000:A1::1'))).toBe(READS)
})
