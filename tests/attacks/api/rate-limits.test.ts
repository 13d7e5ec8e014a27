/** Rate limits hold for a client that uses several processes or made-up addresses, and while the database is down. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createApi } from '../../../server/src/api/server.ts'
import { parseConfig } from '../../../server/src/config.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

const READS = 200
const NETWORKS = '/api/v2/networks?network_types=evm'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_READS: `${READS}`, TRUST_PROXY: '1' })
})
afterAll(() => api.stop())

type Server = TestApi['server']
const ask = async (server: Server, remoteAddress: string, headers: Record<string, string> = {}) =>
  (await server.inject({ url: NETWORKS, remoteAddress, headers })).statusCode

/** Sends this many requests to the processes in turn, a few at a time; returns how many passed. */
async function flood(servers: Server[], count: number, from: string): Promise<number> {
  let passed = 0
  for (let sent = 0; sent < count; sent += servers.length * 5) {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => servers.map((server) => ask(server, from))).flat(),
    )
    passed += answers.filter((status) => status === 200).length
  }
  return passed
}

test('three processes together let at most a tenth more pass than one limit', async () => {
  const others = [await createApi(api.services), await createApi(api.services)]
  try {
    const servers = [api.server, ...others]
    // Each process has had requests before, so they know of each other.
    for (const server of servers) await flood([server], 15, '198.51.100.1')
    const passed = await flood(servers, READS * 3, '198.51.100.2')
    expect(passed).toBeGreaterThanOrEqual(READS)
    expect(passed).toBeLessThanOrEqual(READS * 1.1)
    // A new process knows the limit after its first merge.
    const late = await createApi(api.services)
    others.push(late)
    expect(await flood([late], READS, '198.51.100.2')).toBeLessThanOrEqual(READS * 0.05)
  } finally {
    await Promise.all(others.map((server) => server.close()))
  }
})

test('without the database each process keeps the limit for itself', async () => {
  const alone = await startApi({ RATE_LIMIT_READS: '20' })
  try {
    await alone.services.database.schema.dropTable('rate_window').execute()
    expect(await flood([alone.server], 60, '198.51.100.3')).toBe(20)
  } finally {
    await alone.stop()
  }
})

test('the many IPv6 networks of one machine share a bound, and others have their own', async () => {
  const small = await startApi({ RATE_LIMIT_READS: '3' })
  try {
    const from = (site: string, n: number) => ask(small.server, `2001:db8:${site}:${n.toString(16)}::1`)
    /** How many of sixty networks pass, this far from each other. */
    const passed = async (site: string, step: number) => {
      const answers: number[] = []
      for (let n = 1; n <= 60; n++) answers.push(await from(site, n * step))
      return answers.filter((status) => status === 200).length
    }
    expect(await passed('bad', 256)).toBe(48)
    expect([await from('bad', 1), await from('bad', 256), await from('fine', 1)]).toEqual([429, 429, 200])
    // One connection has a /56, and its neighbours have the rest of the /48.
    expect(await passed('a1', 1)).toBe(12)
    expect([await from('a1', 61), await from('a1', 256)]).toEqual([429, 200])
  } finally {
    await small.stop()
  }
})

test('keys made up in many IPv6 networks of one machine stop reaching the database', async () => {
  const small = await startApi({ RATE_LIMIT_CREATIONS: '3' })
  const asked = vi.spyOn(small.services.database, 'selectFrom')
  const lookUps = () => asked.mock.calls.filter(([table]) => String(table) === 'api_key').length
  try {
    const guess = (site: string, n: number) =>
      ask(small.server, `2001:db8:${site}:${n.toString(16)}::1`, { 'x-ls-apikey': `made up ${site} ${n}` })
    /** How many of sixty networks, this far from each other, have their key looked up. */
    const lookedUp = async (site: string, step: number) => {
      const before = lookUps()
      for (let n = 1; n <= 60; n++) await guess(site, n * step)
      return lookUps() - before
    }
    expect(await lookedUp('bad', 256)).toBe(48)
    expect([await guess('bad', 7), await guess('fine', 7)]).toEqual([429, 403])
    // One connection has a /56, and its neighbours have the rest of the /48.
    expect(await lookedUp('a1', 1)).toBe(12)
    expect([await guess('a1', 61), await guess('a1', 256)]).toEqual([429, 403])
  } finally {
    await small.stop()
  }
})

test('a forged address is ignored: the proxy wrote the last one', async () => {
  const through = (claimed: string) => ask(api.server, '127.0.0.1', { 'x-forwarded-for': `${claimed}, 203.0.113.77` })
  const answers: number[] = []
  for (let n = 0; n < READS + 30; n++) answers.push(await through(`10.1.${n >> 8}.${n & 255}`))
  expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(READS * 1.1)
  expect(answers.at(-1)).toBe(429)
})

test('there is no setting that trusts every proxy', () => {
  const trusted = (TRUST_PROXY: string) =>
    parseConfig({ DATABASE_URL: 'postgres://x', SIGNER: 'mnemonic', MNEMONIC: 'x', TRUST_PROXY }).trustProxy
  for (const word of ['true', 'yes', '0', '10', '10.0.0.0/33', 'proxy.example', '10.0.0.1,true'])
    expect(() => trusted(word), word).toThrow('TRUST_PROXY: must be the number of proxies')
  expect([trusted('false'), trusted(''), trusted('2')]).toEqual([false, false, 2])
  expect(trusted('10.0.0.1, fd00::/8,loopback')).toEqual(['10.0.0.1', 'fd00::/8', 'loopback'])
})
