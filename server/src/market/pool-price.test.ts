/** The last price of a pool token outlives its pool: limits of a refund are judged by it. */
import { catalogueOf, type Network, ONE, type Token } from '@causeway/core'
import { expect, test } from 'vitest'
import type { Chains } from '../catalogue/chains.ts'
import type { Config } from '../config.ts'
import type { Database } from '../store/db/database.ts'
import { createMarket } from './market.ts'

const E18 = 10n ** 18n
const token = (symbol: string, contract: string | null, decimals: number, poolOnly?: true) =>
  ({ network: 'A', symbol, contract, decimals, group: null, ...(poolOnly && { poolOnly }) }) as unknown as Token
const [ETH, USDC, GEM] = [token('ETH', null, 18), token('USDC', '0xb', 6), token('GEM', '0xa', 18, true)]
const pool = { kind: 'uniswap_v2' as const, address: '0xp', token0: '0xa', token1: '0xb', feePpm: 3000 }
const provider = {
  name: 'p',
  kind: 'uniswap_v2',
  factory: '0x1',
  router: '0x2',
  quoter: null,
  hub: USDC,
  pools: [pool],
}
const NETWORK = { name: 'A', nativeToken: ETH, tokens: [ETH, USDC, GEM], providers: [provider] } as unknown as Network

test('an emptied pool has no price, and its last one is kept', async () => {
  let [reserve0, reserve1] = [1000n * E18, 2000n * 10n ** 6n]
  const readPools = async () => ({
    block: { number: 1n, hash: '0x1' },
    states: [{ kind: 'uniswap_v2' as const, reserve0, reserve1 }],
  })
  const config = { serviceFeeUsd: 0, minSwapUsd: 1, maxSwapUsd: 1, serviceFeeBps: 0, providerPriceDeviationBps: 500 }
  const market = createMarket({
    config: { ...config, priceMaxAgeMs: 60_000 } as Config,
    database: {} as Database,
    catalogue: catalogueOf([NETWORK]),
    chains: new Map([['A', { network: NETWORK, exchanges: { readPools } }]]) as unknown as Chains,
    prices: { name: 'test', read: async () => new Map([['USDC', ONE]]) },
    rules: () => null,
    now: () => new Date(0),
  })
  await market.refreshPrices()
  await market.refreshPools(NETWORK)
  expect(market.price(GEM)).toBe(2n * ONE)
  ;[reserve0, reserve1] = [0n, 0n]
  await market.refreshPools(NETWORK)
  expect([market.price(GEM), market.lastPrice(GEM)]).toEqual([null, 2n * ONE])
})
