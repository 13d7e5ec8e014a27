import type { Token } from '@causeway/core'
import { expect, test } from 'vitest'
import { AggregatorFile, aggregatorsOf, ProviderFile, providersOf } from './network-providers.ts'

const token = (symbol: string, contract: string | null, poolOnly?: true) =>
  ({ network: 'A', symbol, contract, decimals: 18, ...(poolOnly && { poolOnly }) }) as Token
const ETH = token('ETH', null)
const USDC = token('USDC', '0xB')
const UNI = token('UNI', '0xa', true)
const FILE = {
  name: 'uniswap',
  kind: 'uniswap_v3',
  factory: '0x1',
  router: '0x2',
  quoter: '0x3',
  hub: 'USDC',
  pools: [{ token: 'UNI', address: '0x4', fee_ppm: 500 }],
}
const parseAddress = (text: string) => (text.startsWith('0x') ? text : null)

function problemsOf(changes: Record<string, unknown>, tokens: Token[] = [ETH, USDC, UNI]): string[] {
  const problems: string[] = []
  providersOf([ProviderFile.parse({ ...FILE, ...changes })], tokens, parseAddress, (text) => problems.push(text))
  return problems
}

test('a provider with its pools, whose tokens are in the order of their addresses', () => {
  const [provider] = providersOf([ProviderFile.parse(FILE)], [ETH, USDC, UNI], parseAddress, expect.unreachable)
  expect(provider).toEqual({
    name: 'uniswap',
    kind: 'uniswap_v3',
    factory: '0x1',
    router: '0x2',
    quoter: '0x3',
    hub: USDC,
    wrappedNative: null,
    pools: [{ kind: 'uniswap_v3', address: '0x4', token0: '0xa', token1: '0xB', feePpm: 500 }],
  })
})

test('each mistake is named with its place', () => {
  expect(problemsOf({ hub: 'DAI' })).toContain('providers.0.hub: there is no token DAI')
  expect(problemsOf({ router: 'router' })).toEqual(['providers.0.router: router is no address of this network'])
  expect(problemsOf({ pools: [{ token: 'UNI', address: 'pool' }] })).toEqual([
    'providers.0.pools.0.address: pool is no address of this network',
  ])
  expect(problemsOf({ pools: [{ token: 'USDC', address: '0x4' }] }, [ETH, USDC])).toEqual([
    'providers.0.pools.0.token: USDC is the hub itself',
  ])
  expect(problemsOf({ hub: 'UNI', pools: [{ token: 'USDC', address: '0x4' }] })).toContain(
    'providers.0.hub: UNI is pool_only, so the treasury does not hold it',
  )
  expect(problemsOf({ hub: 'ETH' })).toEqual(['providers.0.hub: ETH is the native token, so wrapped_native is needed'])
  expect(problemsOf({ hub: 'ETH', wrapped_native: '0x9' })).toEqual([])
  expect(problemsOf({}, [ETH, USDC, UNI, token('LINK', '0xc', true)])).toEqual([
    'LINK: it is pool_only, but no pool of a provider holds it',
  ])
})

test('V3 needs a quoter, and a pool a known kind', () => {
  expect(() => ProviderFile.parse({ ...FILE, quoter: undefined })).toThrow('uniswap_v3 needs a quoter')
  expect(() => ProviderFile.parse({ ...FILE, kind: 'curve' })).toThrow()
})

test('an aggregator has a router of its own, and pools that quote', () => {
  const providers = providersOf([ProviderFile.parse(FILE)], [ETH, USDC, UNI], parseAddress, expect.unreachable)
  const file = { name: 'oneinch', kind: 'oneinch_v6', router: '0x5', url: 'https://api.example/swap/v6.0' }
  const told = (changes: object, listed = providers) => {
    const problems: string[] = []
    aggregatorsOf([AggregatorFile.parse({ ...file, ...changes })], listed, parseAddress, (text) => problems.push(text))
    return problems
  }
  expect(aggregatorsOf([AggregatorFile.parse(file)], providers, parseAddress, expect.unreachable)).toEqual([file])
  expect(told({ router: 'router' })).toEqual(['aggregators.0.router: router is no address of this network'])
  expect(told({ router: '0x2' })).toEqual(['aggregators.0.router: it is the router of a provider'])
  expect(told({ name: 'uniswap' })).toEqual(['aggregators.0.name: another one is called uniswap'])
  expect(told({}, [])).toEqual(["aggregators.0: only a provider's pools can quote, and none is listed"])
  for (const wrong of [{ url: 'nowhere' }, { url: 'ftp://api.example' }, { kind: 'zeroex' }, { name: 'One Inch' }])
    expect(AggregatorFile.safeParse({ ...file, ...wrong }).success).toBe(false)
})
