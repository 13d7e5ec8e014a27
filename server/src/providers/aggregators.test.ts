/** Aggregators over HTTP: what is asked, and every way in which an answer is no offer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  catalogueOf,
  type Exchange,
  type ExchangeScope,
  type Network,
  parseRoute,
  routeText,
  type Token,
} from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAggregators } from './aggregators.ts'

const [USDC, GEM, ROUTER, WALLET, RECIPIENT] = ['0xb', '0xa', '0x1111', '0xcafe', '0xd00d']
const token = (symbol: string, contract: string | null, decimals: number) =>
  ({ network: 'A', symbol, contract, decimals }) as Token
const ETH = token('ETH', null, 18)
const usdc = token('USDC', USDC as string, 6)
const gem = token('GEM', GEM as string, 18)
const TIMEOUT_MS = 200

let server: Server
let network: Network
let handle: (request: IncomingMessage, response: ServerResponse) => void

beforeAll(async () => {
  server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/swap/v6.0/`
  network = {
    ...{ name: 'A', chainId: '7', nativeToken: ETH, tokens: [ETH, usdc, gem] },
    aggregators: [{ name: 'one', kind: 'oneinch_v6', router: ROUTER, url }],
  } as unknown as Network
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  handle = (_, response) => response.end(JSON.stringify(honest()))
})

const honest = () => ({
  ...{ dstAmount: '50', srcToken: { address: USDC }, dstToken: { address: GEM } },
  tx: { from: WALLET, to: ROUTER, value: '0', data: '0x07ed2379', gas: 1, gasPrice: '1' },
})
const route = routeText({
  ...{
    kind: 'uniswap_v2',
    router: '0x2',
    quoter: null,
    pool: '0x3',
    feePpm: 3000,
    path: [USDC, GEM] as [string, string],
  },
  native: null,
})
const exchange: Exchange = {
  ...{ provider: 'pool', network: 'A', sells: { token: usdc, units: 100n }, buys: gem, minUnits: 40n },
  ...{ to: RECIPIENT as string, deadline: new Date(0), route },
}

async function ask(scope: ExchangeScope | null = null, keys: Record<string, string> = {}) {
  const catalogue = catalogueOf([network])
  const aggregators = createAggregators({ catalogue, keys, scopeOf: async () => scope, timeoutMs: TIMEOUT_MS })
  return aggregators.ask(exchange, { account: WALLET as string, slippageBps: 150n })
}

test('is asked for exactly the exchange, with its key', async () => {
  let seen: IncomingMessage | null = null
  handle = (request, response) => {
    seen = request
    response.end(JSON.stringify(honest()))
  }
  const [offer] = await ask(null, { ONE: 'secret' })
  const { pathname, searchParams } = new URL((seen as unknown as IncomingMessage).url ?? '', 'http://local')
  expect(pathname).toBe('/swap/v6.0/7/swap')
  expect(Object.fromEntries(searchParams)).toEqual({
    ...{ src: USDC, dst: GEM, amount: '100', slippage: '1.5', from: WALLET, origin: WALLET, receiver: RECIPIENT },
    ...{ compatibility: 'true', disableEstimate: 'true' },
  })
  expect((seen as unknown as IncomingMessage).headers.authorization).toBe('Bearer secret')
  expect(offer).toMatchObject({ aggregator: { name: 'one' }, promisedUnits: 50n })
  const built = parseRoute(offer && 'route' in offer ? offer.route : '')
  expect(built).toEqual({ kind: 'oneinch_v6', router: ROUTER, path: [USDC, GEM], native: null, data: '0x07ed2379' })
})

const changed = (change: object) => (_: unknown, response: ServerResponse) =>
  response.end(JSON.stringify({ ...honest(), ...change }))
const inCall = (change: object) => changed({ tx: { ...honest().tx, ...change } })

test.each<[string, typeof handle, string]>([
  ['for another chain', changed({ chainId: 8 }), 'chain 8'],
  ['with another router', inCall({ to: '0xe' }), 'router'],
  ['from another wallet', inCall({ from: '0xe' }), 'our wallet'],
  ['with native coins', inCall({ value: '1' }), 'native'],
  ['that sells another token', changed({ srcToken: { address: GEM } }), 'sells another token'],
  ['that buys another token', changed({ dstToken: { address: USDC } }), 'buys another token'],
  ['below the minimum', changed({ dstAmount: '39' }), 'minimum'],
  ['with a negative amount', changed({ dstAmount: '-50' }), 'form'],
  ['with an endless amount', changed({ dstAmount: '9'.repeat(100) }), 'form'],
  ['with data that is no hex', inCall({ data: '0xzz' }), 'form'],
  ['without a call', changed({ tx: null }), 'form'],
  ['that is a list', (_, response) => response.end('[]'), 'form'],
  ['that is no JSON', (_, response) => response.end('<html>'), 'JSON'],
  ['that is empty', (_, response) => response.end(), 'JSON'],
  ['with an error', (_, response) => response.writeHead(500).end('{}'), 'HTTP 500'],
  ['that refuses its key', (_, response) => response.writeHead(401).end('{}'), 'HTTP 401'],
  ['that redirects', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(), 'fetch failed'],
  ['that breaks off', (_, response) => response.socket?.destroy(), 'fetch failed|timeout'],
  ['that is huge', (_, response) => response.end(`{"dstAmount":"${'1'.repeat(300_000)}"}`), 'longer'],
  ['that is late', () => undefined, 'timeout'],
  ['that never ends', (_, response) => void response.write('{'), 'timeout'],
])('an answer %s is no offer', async (_, handler, reason) => {
  handle = handler
  expect(await ask()).toEqual([
    { aggregator: network.aggregators?.[0], reason: expect.stringMatching(reason) as string },
  ])
})

test('is not asked if the signer would refuse its router or a token', async () => {
  let isAsked = false
  handle = (_, response) => {
    isAsked = true
    response.end(JSON.stringify(honest()))
  }
  for (const scope of [
    {},
    { A: { routers: ['0x2'], tokens: [USDC, GEM] } },
    { A: { routers: [ROUTER], tokens: [USDC] } },
  ])
    expect(await ask(scope as ExchangeScope)).toEqual([])
  expect(isAsked).toBe(false)
  expect(await ask({ A: { routers: [ROUTER], tokens: [USDC, GEM] } } as ExchangeScope)).toHaveLength(1)
})
