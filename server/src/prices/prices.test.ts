/** Price sources: how answers are parsed, how old they may be, and what happens when sources fail or disagree. */

import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { parseDecimal } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { createLog } from '../observe/log.ts'
import { HttpSourceFile, httpPrices } from './http.ts'
import { agree, medianPrices } from './median.ts'
import { openPrices } from './open.ts'
import type { PriceSource } from './source.ts'

let server: Server
let base: string
let asked: string[]
let answer: (url: string) => { status?: number; body: string; delayMs?: number }
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const { status = 200, body, delayMs = 0 } = answer(request.url ?? '')
    setTimeout(() => response.writeHead(status, { 'content-type': 'application/json' }).end(body), delayMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  asked = []
  clock = new Date('2026-01-01T00:00:00Z')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

let clock: Date
const now = () => clock
const later = (seconds: number) => {
  clock = new Date(clock.getTime() + seconds * 1000)
}
const usd = (text: string) => parseDecimal(text, 18) ?? 0n
const gecko = (fields: object = {}) =>
  httpPrices(
    HttpSourceFile.parse({
      name: 'gecko',
      url: `${base}/price?ids={ids}`,
      path: '{id}.usd',
      ids: { ETH: 'ethereum', BTC: 'bitcoin' },
      timeout_seconds: 0.3,
      ...fields,
    }),
    now,
  )

describe('an HTTP source', () => {
  it('fetches all groups at once, at most once per interval, and keeps the age of its prices', async () => {
    answer = () => ({ body: '{"ethereum":{"usd":3000.1},"bitcoin":{"usd":"60000.5"}}' })
    const source = gecko()
    const groups = ['ETH', 'BTC', 'DOGS']
    const expected = new Map([
      ['ETH', usd('3000.1')],
      ['BTC', usd('60000.5')],
    ])
    const first = clock
    expect(await source.read(groups)).toEqual(expected)
    later(10)
    expect(await source.read(groups)).toEqual(expected)
    expect(asked).toEqual(['/price?ids=ethereum%2Cbitcoin'])
    expect(source.fetchedAt?.('ETH')).toEqual(first)
    later(30)
    await source.read(groups)
    expect(asked).toHaveLength(2)
    expect(source.fetchedAt?.('ETH')).toEqual(clock)
  })

  it('fetches one by one if the URL has {id}, and returns what it got', async () => {
    answer = (url) => (url.includes('btc') ? { status: 500, body: '' } : { body: '{"data":{"rates":{"USD":"2999"}}}' })
    const source = gecko({ url: `${base}/rate/{id}`, path: 'data.rates.USD', ids: { ETH: 'eth', BTC: 'btc' } })
    expect(await source.read(['ETH', 'BTC'])).toEqual(new Map([['ETH', usd('2999')]]))
  })

  it('accepts small numbers and long decimals, and rejects anything but a positive number', async () => {
    const values: [string, string | null][] = [
      ['1e-7', '0.0000001'],
      ['"0.12345678901234567899"', '0.123456789012345678'],
      ['0', null],
      ['-1', null],
      ['null', null],
      ['"many"', null],
      ['{}', null],
    ]
    for (const [value, expected] of values) {
      answer = () => ({ body: `{"ethereum":{"usd":${value}}}` })
      expect((await gecko().read(['ETH'])).get('ETH') ?? null, value).toEqual(expected && usd(expected))
    }
  })

  it('fails on answers that are late, refused or not JSON', async () => {
    answer = () => ({ body: '{}', delayMs: 800 })
    await expect(gecko().read(['ETH'])).rejects.toThrow()
    answer = () => ({ status: 429, body: '' })
    await expect(gecko().read(['ETH'])).rejects.toThrow('429')
    answer = () => ({ body: '<html>' })
    await expect(gecko().read(['ETH'])).rejects.toThrow()
  })
})

describe('the median of several', () => {
  const fixed = (name: string, price: string | null): PriceSource => ({
    name,
    read: async () => {
      if (price === null) throw new Error('down')
      return new Map([['ETH', usd(price)]])
    },
  })
  const warnings: string[] = []
  const options = {
    maxAgeMs: 60_000,
    maxDeviation: usd('0.02'),
    now,
    warn: (_: object, message: string) => warnings.push(message),
  }
  const read = async (...prices: (string | null)[]) =>
    (
      await medianPrices(
        prices.map((price, n) => fixed(`${n}`, price)),
        options,
      ).read(['ETH'])
    ).get('ETH') ?? null

  it('is the median of those that agree', async () => {
    expect(await read('3000', '3010', '3030')).toBe(usd('3010'))
    expect(await read('3000', '3010')).toBe(usd('3005'))
    expect(await read('3000', '3010', '1')).toBe(usd('3005'))
    expect(await read('3000')).toBe(usd('3000'))
  })

  it('works without a source that is down if a majority of the configured ones is left', async () => {
    expect(await read('3000', null, '3010')).toBe(usd('3005'))
    expect(warnings).toContain('a price source does not answer')
    expect(await read(null, null)).toBeNull()
  })

  it('does not trust a single survivor, unless it is the only configured source', async () => {
    expect(await read('3000', null)).toBeNull()
    expect(await read('3000', null, null)).toBeNull()
    expect(await read('3000', '3010', null, null)).toBeNull()
    expect(await read('3000')).toBe(usd('3000'))
  })

  it('of two needs both to agree, to the unit', async () => {
    expect(await read('3000', '3060')).toBe(usd('3030'))
    expect(await read('3000', '3060.000000000000000001')).toBeNull()
  })

  it('of three is never the price of one alone', async () => {
    expect(await read('3000', '3001', '3059')).toBe(usd('3001'))
    expect(await read('3000', '3055', '3110')).toBe(usd('3055'))
  })

  it('reports if its sources contradict each other', async () => {
    const prices: Record<string, string | null> = { a: '3000', b: '3010' }
    const sources = ['a', 'b'].map((name) => ({ name, read: async () => fixed(name, prices[name] ?? null).read([]) }))
    const median = medianPrices(sources, options)
    await median.read(['ETH'])
    expect(median.isDisputed?.('ETH')).toBe(false)
    prices.b = '3300'
    await median.read(['ETH'])
    expect(median.isDisputed?.('ETH')).toBe(true)
    prices.b = null
    await median.read(['ETH'])
    expect(median.isDisputed?.('ETH')).toBe(false)
  })

  it('is missing without a majority', async () => {
    expect(await read('3000', '3200')).toBeNull()
    expect(await read('1000', '2000', '3000')).toBeNull()
    expect(warnings).toContain('too few price sources agree')
    expect(agree([], 1n, 1)).toBeNull()
  })

  it('ignores stale prices', async () => {
    answer = () => ({ body: '{"ethereum":{"usd":3000}}' })
    const median = medianPrices([gecko()], options)
    expect((await median.read(['ETH'])).get('ETH')).toBe(usd('3000'))
    answer = () => ({ status: 500, body: '' })
    later(50)
    await median.read(['ETH'])
    later(50)
    expect((await median.read(['ETH'])).get('ETH')).toBeUndefined()
  })
})

describe('the configuration of prices', () => {
  const config = (env: Record<string, string>) =>
    parseConfig({ DATABASE_URL: 'postgres://x/y', SIGNER: 'mnemonic', MNEMONIC: 'words', ...env })
  const open = (env: Record<string, string>) => openPrices(config(env), createLog('silent'), now)

  it('defaults to the fixed file, and knows the named sources of the shipped file', () => {
    expect(open({}).name).toBe('fixed')
    expect(open({ PRICES: 'coingecko, coinbase,cryptocompare' }).name).toBe('coingecko,coinbase,cryptocompare')
  })

  it('rejects missing sources and invalid files', async () => {
    expect(() => open({ PRICES: 'oracle' })).toThrow('no source oracle')
    expect(() => open({ PRICES: 'oracle', PRICE_SOURCES_FILE: '/nowhere.json' })).toThrow('no file')
    const file = path.join(await mkdtemp(path.join(os.tmpdir(), 'causeway-')), 'sources.json')
    await writeFile(file, JSON.stringify([{ name: 'a', url: 'https://x/', path: 'p', ids: {} }]))
    expect(() => open({ PRICES: 'a', PRICE_SOURCES_FILE: file })).toThrow(/url: .*\{ids\}/)
  })
})
