/** Pools in memory, the plans of a route over them, and the price of a pool token. */
import {
  catalogueOf,
  type ExchangeScope,
  type Network,
  ONE,
  type Pool,
  type PoolState,
  type Provider,
  parseRoute,
  type Swap,
  type Token,
} from '@causeway/core'
import { expect, test } from 'vitest'
import { isAgreed, plansFor, poolPrice, settlementPlan } from './plans.ts'
import { createProviders, type Providers } from './pools.ts'

const NO_PROVIDERS: Providers = { options: () => [], refresh: async () => {} }

const token = (network: string, symbol: string, contract: string | null, decimals: number, poolOnly?: true) =>
  ({ network, symbol, contract, decimals, ...(poolOnly && { poolOnly }) }) as Token
const ETH = token('A', 'ETH', null, 18)
const USDC = token('A', 'USDC', '0xb', 6)
const UNI = token('A', 'UNI', '0xa', 18, true)
const DOLLAR = token('B', 'USDC', '0xd', 6)
const E18 = 10n ** 18n

const pool = (address: string, token1: string): Pool => ({
  kind: 'uniswap_v2',
  address,
  token0: '0xa',
  token1,
  feePpm: 3000,
})
const provider = (name: string, hub: Token, pools: Pool[]): Provider => ({
  name,
  kind: 'uniswap_v2',
  factory: '0x1',
  router: '0x2',
  quoter: null,
  hub,
  wrappedNative: '0xe',
  pools,
})
const NETWORK = {
  name: 'A',
  nativeToken: ETH,
  tokens: [ETH, USDC, UNI],
  providers: [provider('dollars', USDC, [pool('0xp1', '0xb')]), provider('ether', ETH, [pool('0xp2', '0xe')])],
} as unknown as Network
const catalogue = catalogueOf([NETWORK, { name: 'B', nativeToken: DOLLAR, tokens: [DOLLAR] } as Network])

const state = (reserve0: bigint, reserve1: bigint): PoolState => ({ kind: 'uniswap_v2', reserve0, reserve1 })
/** 8 dollars per UNI; 0.004 ether per UNI, in a pool ten times as deep. */
const STATES = [state(1000n * E18, 8000n * 10n ** 6n), state(10_000n * E18, 40n * E18)]

function world(states: (PoolState | null)[] = STATES, scope: ExchangeScope | null = null) {
  let at = 0
  let reads = 0
  const readerOf = () => ({
    readPools: async () => {
      reads += 1
      return { block: { number: 1n, hash: '0x1' }, states }
    },
  })
  const providers = createProviders({ catalogue, readerOf, scopeOf: async () => scope, now: () => new Date(at) })
  return { providers, wait: (ms: number) => (at += ms), reads: () => reads }
}

test('a pool whose router or token the signer does not allow is not offered', async () => {
  const allowed = { routers: ['0x2'], tokens: ['0xa', '0xb'] }
  const offered = async (scope: ExchangeScope | null) => {
    const { providers } = world(STATES, scope)
    await providers.refresh(NETWORK)
    return providers.options(UNI, 'sale').map(({ provider: name }) => name)
  }
  expect(await offered(null)).toEqual(['dollars', 'ether'])
  expect(await offered({ [NETWORK.name]: allowed })).toEqual(['dollars'])
  expect(await offered({ [NETWORK.name]: { ...allowed, routers: ['0xother'] } })).toEqual([])
  expect(await offered({ [NETWORK.name]: { ...allowed, tokens: ['0xb'] } })).toEqual([])
  expect(await offered({})).toEqual([])
})

test('all pools of a network are read in one request, and each gives a sale and a purchase', async () => {
  const { providers, reads } = world()
  expect(providers.options(UNI, 'sale')).toEqual([])
  await providers.refresh(NETWORK)
  expect(reads()).toBe(1)
  expect(providers.options(UNI, 'sale').map(({ provider: name, hub }) => [name, hub.symbol])).toEqual([
    ['dollars', 'USDC'],
    ['ether', 'ETH'],
  ])
  const [, ether] = providers.options(UNI, 'purchase')
  expect(parseRoute(ether?.route ?? '')).toMatchObject({
    pool: '0xp2',
    router: '0x2',
    path: ['0xe', '0xa'],
    native: 'in',
  })
  expect(ether?.curve.out(E18)).toBe((E18 * 997n * 10_000n * E18) / (40n * E18 * 1000n + E18 * 997n))
})

test('a pool that was not read lately, is empty, or cannot be read is not offered', async () => {
  const { providers, wait } = world([null, state(0n, 0n)])
  await providers.refresh(NETWORK)
  expect(providers.options(UNI, 'sale')).toEqual([])
  const fresh = world()
  await fresh.providers.refresh(NETWORK)
  fresh.wait(15_000)
  expect(fresh.providers.options(UNI, 'sale')).toHaveLength(2)
  fresh.wait(1)
  expect(fresh.providers.options(UNI, 'sale')).toEqual([])
  wait(0)
})

test('a pool token needs an exchange; other routes use the own wallet alone', async () => {
  const { providers } = world()
  await providers.refresh(NETWORK)
  expect(plansFor(NO_PROVIDERS, USDC, DOLLAR)).toEqual([{}])
  expect(plansFor(NO_PROVIDERS, UNI, DOLLAR)).toEqual([])
  expect(plansFor(providers, USDC, DOLLAR)).toEqual([{}])
  const shape = (plan: object) => Object.keys(plan)
  // A sale for the native token leaves no transfer in its receipt.
  expect(plansFor(providers, UNI, DOLLAR).map(shape)).toEqual([['sale']])
  expect(plansFor(providers, DOLLAR, UNI).map(shape)).toEqual([['purchase'], ['purchase']])
  expect(plansFor(providers, UNI, UNI)).toHaveLength(2)
})

test('the price of a pool token is that of its deepest pool, times the price of the hub', async () => {
  const { providers } = world()
  await providers.refresh(NETWORK)
  const priceOf = (hub: Token) => (hub === ETH ? 2100n * ONE : ONE)
  expect(poolPrice(providers, UNI, priceOf)).toBe((ONE * 84n) / 10n)
  expect(poolPrice(providers, UNI, () => null)).toBeNull()
  expect(poolPrice(providers, USDC, priceOf)).toBeNull()
  expect(isAgreed(100n, 105n, 500n)).toBe(true)
  expect(isAgreed(106n, 100n, 500n)).toBe(false)
})

test('a swap is settled over the hub tokens of its quote, by the pool that gives the most now', async () => {
  const { providers } = world()
  await providers.refresh(NETWORK)
  const plans = plansFor(providers, DOLLAR, UNI)
  const swapOf = (quote: unknown) => ({ source: DOLLAR, destination: UNI, originalQuote: null, quote }) as Swap
  const agreed = { requestedUnits: 100n, legs: { purchase: { sells: USDC, buys: UNI, inUnits: 100n } } }
  expect(settlementPlan(plans, swapOf(agreed))?.purchase?.provider).toBe('dollars')
  // The agreed quote was over a hub that no pool is known for now.
  expect(
    settlementPlan(plans, swapOf({ ...agreed, legs: { purchase: { ...agreed.legs.purchase, sells: DOLLAR } } })),
  ).toBeNull()
  expect(settlementPlan(plans, swapOf(null))?.purchase).toBeDefined()
  const plain = { source: USDC, destination: DOLLAR, originalQuote: null, quote: { requestedUnits: 1n } } as Swap
  expect(settlementPlan([{}], plain)).toEqual({})
})
