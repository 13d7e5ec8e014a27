/**
 * Swap providers for the services of a test: GEM, a token that only pools hold, in a V2 pool on ALPHA and in a V3 pool
 * on BETA. Their states are constant.
 */
import { type Catalogue, catalogueOf, type Exchanges, type Pool, type PoolState, type Provider } from '@causeway/core'
import { contractAddress } from '../../../chains/simulated/local/src/index.ts'
import { createMarket } from '../../../server/src/market/market.ts'
import type { TestServices } from '../service/services.ts'

const FEE_PPM = 3000
/** Two dollars per GEM, in base units. */
const PRICE = 2e-12
const TICK_BASE = 1.0001
const SPACING = 60
const WORD = 256 * SPACING
/** The positions around the price, in ticks to each side. */
const POSITIONS = [600, 6_000, 30_000]
const LIQUIDITY = 10n ** 18n

/** Adds the pools, and returns what reads them again. */
export async function addPools(services: TestServices): Promise<() => Promise<void>> {
  const { catalogue, chains } = services
  const states: [string, PoolState][] = [
    ['ALPHA', { kind: 'uniswap_v2', reserve0: 500_000n * 10n ** 18n, reserve1: 1_000_000n * 10n ** 6n }],
    ['BETA', v3State()],
  ]
  for (const [name, state] of states) {
    const provider = list(catalogue, name, state.kind)
    const chain = chains.get(name)
    if (!chain) throw new Error(`no chain ${name}`)
    const readPools = async () => ({ block: { number: 1n, hash: '0x1' }, states: provider.pools.map(() => state) })
    chain.exchanges = { readPools } as unknown as Exchanges
  }
  Object.assign(catalogue, catalogueOf(catalogue.networks))
  const usd = new Map(Object.entries(services.prices).map(([group, text]) => [group, BigInt(text) * 10n ** 18n]))
  const prices = { name: 'test', read: async () => usd }
  Object.assign(services.market, createMarket({ ...services, prices, rules: () => null }))
  const read = async () => {
    for (const network of catalogue.networks) await services.market.refreshPools(network)
  }
  await services.refresh()
  await read()
  return read
}

/** Lists GEM and its pool in the network's entry. */
function list(catalogue: Catalogue, name: string, kind: Pool['kind']): Provider {
  const network = catalogue.network(name)
  const hub = network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (!hub?.contract) throw new Error('no USDC')
  const contract = contractAddress(`GEM on ${name}`)
  const gem = { symbol: 'GEM', displayAsset: 'GEM', group: 'GEM', contract, decimals: 18, precision: 8 }
  network.tokens.push({ ...hub, ...gem, poolOnly: true })
  const contracts = { factory: 'a factory', router: 'a router', quoter: kind === 'uniswap_v3' ? 'a quoter' : null }
  const pools = [{ kind, address: `pool on ${name}`, token0: contract, token1: hub.contract, feePpm: FEE_PPM }]
  const provider: Provider = { name: kind, kind, ...contracts, hub, wrappedNative: null, pools }
  network.providers = [provider]
  return provider
}

function v3State(): PoolState {
  const tick = Math.floor(Math.log(PRICE) / Math.log(TICK_BASE))
  const middle = Math.floor(tick / SPACING) * SPACING
  const ticks = POSITIONS.flatMap((reach) => [
    { index: middle - reach, liquidityNet: LIQUIDITY },
    { index: middle + reach, liquidityNet: -LIQUIDITY },
  ]).sort((a, b) => a.index - b.index)
  const word = Math.floor(middle / WORD)
  return {
    ...{ kind: 'uniswap_v3', sqrtPriceX96: BigInt(Math.floor(Math.sqrt(PRICE) * 2 ** 96)), tick, ticks },
    ...{ liquidity: LIQUIDITY * BigInt(POSITIONS.length), tickSpacing: SPACING },
    ...{ fromTick: (word - 3) * WORD, toTick: (word + 4) * WORD - SPACING },
  }
}
