/** A world whose networks list swap providers: real Uniswap pools of GEM, a token that only pools hold, against USDC. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { getAddress, type Hex } from 'viem'
import type { SimulatedAggregator } from '../../../chains/evm/local/src/aggregator.ts'
import { EXCHANGE_OWNER, poolAddress, UNISWAP, type Uniswap, uniswapOn } from '../../../chains/evm/local/src/uniswap.ts'
import { startWorld, type World } from '../processes/world.ts'
import { control } from './evm.ts'

const FOLDER = path.join(import.meta.dirname, '../../../networks/sandbox')
const GEM = '0x00000000000000000000000000000000000063e1'
const FEE_PPM = 3000
/** The trading budget of the exchange's owner. */
const USDC_UNITS = 9_000_000n * 10n ** 6n
const GEM_UNITS = 4_500_000n * 10n ** 18n

export interface PoolWorld extends World {
  /** The exchange of a network: V2 on the first one, V3 on the second. */
  uniswap(network: string): Uniswap
  usdc(network: string): Hex
  /** The pool's output for these units now. */
  quote(network: string, side: 'sale' | 'purchase', units: bigint): Promise<bigint>
  /** A third party sells or buys GEM: the pool's price moves. */
  trade(network: string, side: 'sale' | 'purchase', units: bigint): Promise<void>
}

export async function startPoolWorld(
  [first, second]: readonly [string, string],
  env: Record<string, string>,
  runService = true,
  /** Listed on both networks, and routes through their pools. */
  aggregator: SimulatedAggregator | null = null,
): Promise<PoolWorld> {
  const networks = await mkdtemp(path.join(os.tmpdir(), 'causeway-pools-'))
  await mkdir(networks, { recursive: true })
  const usdcOf = new Map<string, Hex>()
  for (const name of [first, second]) {
    const file = JSON.parse(await readFile(path.join(FOLDER, `${name}.json`), 'utf8'))
    const listed: { symbol: string; contract: string }[] = file.tokens
    const usdc = getAddress(listed.find(({ symbol }) => symbol === 'USDC')?.contract ?? '')
    usdcOf.set(name, usdc)
    const gem = {
      ...{ symbol: 'GEM', display_asset: 'GEM', contract: GEM, decimals: 18, precision: 8, group: 'GEM' },
      ...{ listing_date: '2026-11-15T00:00:00Z', source_rank: 9, destination_rank: 9, pool_only: true },
    }
    const providers = [providerOf(name === first ? 'uniswap_v2' : 'uniswap_v3', usdc)]
    const tokens = [...listed.filter(({ symbol }) => symbol !== 'GEM'), gem]
    const { router = '', url = '' } = aggregator ?? {}
    const aggregators = aggregator && { aggregators: [{ name: 'oneinch', kind: 'oneinch_v6', router, url }] }
    await writeFile(path.join(networks, `${name}.json`), JSON.stringify({ ...file, tokens, providers, ...aggregators }))
  }
  const world = await startWorld(env, runService, [first, second], networks)
  const exchanges = new Map<string, Uniswap>()
  const usdcOn = (network: string) => usdcOf.get(network) ?? fail()
  const uniswap = (network: string) => exchanges.get(network) ?? fail()
  for (const name of [first, second]) {
    exchanges.set(name, await ownerOn(world, name))
    const { chainId } = world.sandbox.catalogue.network(name)
    await aggregator?.addChain(chainId ?? '', (method, params) => control(world, name, method, ...params))
  }
  const path_ = (network: string, side: 'sale' | 'purchase'): [Hex, Hex] =>
    side === 'sale' ? [GEM, usdcOn(network)] : [usdcOn(network), GEM]
  return {
    ...world,
    uniswap,
    usdc: usdcOn,
    quote: (network, side, units) => {
      const [sold, bought] = path_(network, side)
      return network === first
        ? uniswap(network).quoteV2([sold, bought], units)
        : uniswap(network).quoteV3(sold, bought, FEE_PPM, units)
    },
    trade: (network, side, units) => {
      const [sold, bought] = path_(network, side)
      return network === first
        ? uniswap(network).sellV2(sold, bought, units)
        : uniswap(network).sellV3(sold, bought, FEE_PPM, units)
    },
  }
}

/** The local chain has opened the pool. Its owner gets tokens to trade with. */
async function ownerOn(world: World, network: string): Promise<Uniswap> {
  const { fund } = world.devnet(network)
  await fund(world.token(network, 'GEM'), EXCHANGE_OWNER, GEM_UNITS)
  await fund(world.token(network, 'USDC'), EXCHANGE_OWNER, USDC_UNITS)
  return uniswapOn(async (method, params) => {
    const answer = await control(world, network, method, ...params)
    if (method === 'eth_sendTransaction') await control(world, network, 'evm_mine')
    return answer
  })
}

function providerOf(kind: 'uniswap_v2' | 'uniswap_v3', usdc: Hex) {
  const isV2 = kind === 'uniswap_v2'
  const [factory, router] = isV2 ? [UNISWAP.factory2, UNISWAP.router2] : [UNISWAP.factory3, UNISWAP.router3]
  return {
    ...{ name: kind, kind, factory, router, hub: 'USDC' },
    ...(isV2 ? {} : { quoter: UNISWAP.quoter3 }),
    pools: [{ token: 'GEM', address: poolAddress(kind, usdc, GEM, FEE_PPM), fee_ppm: FEE_PPM }],
  }
}

function fail(): never {
  throw new Error('not a network of this world')
}
