/** A world whose networks list swap providers: real Uniswap pools of GEM, a token that only pools hold, against USDC. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import {
  encodeAbiParameters,
  encodePacked,
  getAddress,
  getCreate2Address,
  type Hex,
  keccak256,
  parseAbiParameters,
} from 'viem'
import { deployUniswap, EXCHANGE_OWNER, UNISWAP, type Uniswap } from '../../../chains/evm/local/src/uniswap.ts'
import { startWorld, type World } from '../processes/world.ts'
import { control } from './evm.ts'

const FOLDER = path.join(import.meta.dirname, '../../../networks/sandbox')
const GEM = '0x00000000000000000000000000000000000063e1'
const FEE_PPM = 3000
/** Two dollars per GEM. */
const USDC_UNITS = 1_000_000n * 10n ** 6n
const GEM_UNITS = 500_000n * 10n ** 18n
const TICKS = 30_000
const SPACING = 60

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
    await writeFile(
      path.join(networks, `${name}.json`),
      JSON.stringify({ ...file, tokens: [...file.tokens, gem], providers }),
    )
  }
  const world = await startWorld(env, runService, [first, second], networks)
  const exchanges = new Map<string, Uniswap>()
  const usdcOn = (network: string) => usdcOf.get(network) ?? fail()
  const uniswap = (network: string) => exchanges.get(network) ?? fail()
  for (const name of [first, second]) exchanges.set(name, await deploy(world, name, usdcOn(name), name === first))
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

async function deploy(world: World, network: string, usdc: Hex, isV2: boolean): Promise<Uniswap> {
  const uniswap = await deployUniswap(async (method, params) => {
    const answer = await control(world, network, method, ...params)
    if (method === 'eth_sendTransaction') await control(world, network, 'evm_mine')
    return answer
  })
  const { fund } = world.devnet(network)
  await fund(world.token(network, 'GEM'), EXCHANGE_OWNER, 10n * GEM_UNITS)
  await fund(world.token(network, 'USDC'), EXCHANGE_OWNER, 10n * USDC_UNITS)
  if (isV2) {
    await uniswap.openV2(usdc, GEM, USDC_UNITS, GEM_UNITS)
    return uniswap
  }
  const [token0, token1] = sorted(usdc)
  const [amount0, amount1] = token0 === usdc ? [USDC_UNITS, GEM_UNITS] : [GEM_UNITS, USDC_UNITS]
  const price = root((amount1 << 192n) / amount0)
  const middle = Math.floor(Math.log(Number(amount1) / Number(amount0)) / Math.log(1.0001) / SPACING) * SPACING
  const range = { tickLower: middle - TICKS, tickUpper: middle + TICKS, amount0, amount1 }
  await uniswap.openV3(token0, token1, FEE_PPM, price, [range])
  return uniswap
}

function providerOf(kind: 'uniswap_v2' | 'uniswap_v3', usdc: Hex) {
  const isV2 = kind === 'uniswap_v2'
  const [factory, router] = isV2 ? [UNISWAP.factory2, UNISWAP.router2] : [UNISWAP.factory3, UNISWAP.router3]
  return {
    ...{ name: kind, kind, factory, router, hub: 'USDC' },
    ...(isV2 ? {} : { quoter: UNISWAP.quoter3 }),
    pools: [{ token: 'GEM', address: poolAddress(isV2, usdc), fee_ppm: FEE_PPM }],
  }
}

function poolAddress(isV2: boolean, usdc: Hex): Hex {
  const [token0, token1] = sorted(usdc)
  const salt = isV2
    ? keccak256(encodePacked(['address', 'address'], [token0, token1]))
    : keccak256(encodeAbiParameters(parseAbiParameters('address, address, uint24'), [token0, token1, FEE_PPM]))
  const file = isV2
    ? '@uniswap/v2-core/build/UniswapV2Pair.json'
    : '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json'
  const artifact = createRequire(import.meta.url)(file)
  const code: string = artifact.evm?.bytecode?.object ?? artifact.bytecode
  const bytecode = (code.startsWith('0x') ? code : `0x${code}`) as Hex
  return getCreate2Address({
    from: isV2 ? UNISWAP.factory2 : UNISWAP.factory3,
    salt,
    bytecodeHash: keccak256(bytecode),
  })
}

function sorted(usdc: Hex): [Hex, Hex] {
  return usdc.toLowerCase() < GEM.toLowerCase() ? [usdc, GEM] : [GEM, usdc]
}

/** The integer square root. */
function root(value: bigint): bigint {
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (let next = guess; ; guess = next) {
    next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
  }
}

function fail(): never {
  throw new Error('not a network of this world')
}
