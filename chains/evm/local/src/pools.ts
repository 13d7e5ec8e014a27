/**
 * The pools of a local chain. It opens the pools that the network file lists, with real Uniswap contracts, and moves or
 * empties them on request, as other traders and liquidity providers would.
 */
import type { Network, PoolKind, Token } from '@causeway/core'
import { type Address, type Hex, isAddressEqual, numberToHex } from 'viem'
import { type Ask, deployUniswap, EXCHANGE_OWNER, inPoolOrder, UNISWAP, type Uniswap, uniswapOn } from './uniswap.ts'

/** Plain data, because it is sent to another process. */
export interface PoolPlan {
  kind: PoolKind
  hub: Side
  token: Side
  feePpm: number
}

interface Side {
  contract: Hex
  decimals: number
}

/** Whole tokens in each pool at the start: a pool token costs two hub tokens. */
const HUB_WHOLE = 1_000_000n
const TOKEN_WHOLE = 500_000n
/** Ticks on each side of a V3 position: the price can rise or fall by a factor of 20 inside it. */
const TICKS = 30_000
const TICK_BASE = 1.0001
const SPACINGS: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }
/** Half of the fee of 0.3 % on a trade is lost for its effect on the price. */
const V2_FEE_SHARE = 0.9985
/** The owner's budget for a move: far more than a pool can take. */
const BUDGET = 1_000n
const SCALE = 1e9
const HUNDRED = 100

/** The listed pools of a network whose contracts are those that a local chain deploys. */
export function poolPlans({ providers = [], tokens }: Network): PoolPlan[] {
  const own = providers.filter(({ factory, kind }) => factory && isAddressEqual(factory as Hex, factoryOf(kind)))
  return own.flatMap(({ kind, hub, pools }) =>
    pools.flatMap(({ token0, token1, feePpm }) => {
      const token = tokens.find(
        ({ contract }) => contract !== hub.contract && [token0, token1].includes(contract ?? ''),
      )
      const sides = [sideOf(hub), token && sideOf(token)] as const
      return sides[0] && sides[1] ? [{ kind, hub: sides[0], token: sides[1], feePpm }] : []
    }),
  )
}

function factoryOf(kind: PoolKind): Address {
  return kind === 'uniswap_v2' ? UNISWAP.factory2 : UNISWAP.factory3
}

/** Null for the native token: its pools hold wrapped ether, which a local chain does not seed. */
function sideOf({ contract, decimals }: Token): Side | null {
  return contract === null ? null : { contract: contract as Hex, decimals }
}

/** Deploys the exchange and opens the pools; does nothing without any. */
export async function openPools(ask: Ask, plans: readonly PoolPlan[]): Promise<void> {
  if (plans.length === 0) return
  const uniswap = await deployUniswap(ask)
  for (const plan of plans) {
    const [hubUnits, tokenUnits] = [unitsOf(plan.hub, HUB_WHOLE), unitsOf(plan.token, TOKEN_WHOLE)]
    await give(ask, plan.hub, hubUnits)
    await give(ask, plan.token, tokenUnits)
    if (plan.kind === 'uniswap_v2') await uniswap.openV2(plan.hub.contract, plan.token.contract, hubUnits, tokenUnits)
    else await openV3(uniswap, plan, hubUnits, tokenUnits)
  }
}

async function openV3(uniswap: Uniswap, { hub, token, feePpm }: PoolPlan, hubUnits: bigint, tokenUnits: bigint) {
  const [token0, token1] = inPoolOrder(hub.contract, token.contract)
  const [amount0, amount1] = token0 === hub.contract ? [hubUnits, tokenUnits] : [tokenUnits, hubUnits]
  const spacing = SPACINGS[feePpm] ?? 1
  const tick = Math.log(Number(amount1) / Number(amount0)) / Math.log(TICK_BASE)
  const middle = Math.floor(tick / spacing) * spacing
  const reach = Math.floor(TICKS / spacing) * spacing
  const position = { tickLower: middle - reach, tickUpper: middle + reach, amount0, amount1 }
  await uniswap.openV3(token0, token1, feePpm, squareRoot((amount1 << 192n) / amount0), [position])
}

/** Changes the token's price by this many percent: a trader buys it, or sells it. */
export async function movePool(ask: Ask, plan: PoolPlan, percent: number): Promise<void> {
  const { hub, token, feePpm } = plan
  const [sold, bought] = percent > 0 ? [hub, token] : [token, hub]
  // The product of the reserves stays the same, so the sold token's reserve grows by the root of the price's change.
  const change = Math.sqrt(1 + percent / HUNDRED)
  const growth = percent > 0 ? change : 1 / change
  const uniswap = uniswapOn(ask)
  if (plan.kind === 'uniswap_v2') {
    const pair = await uniswap.pair(hub.contract, token.contract)
    const [reserve0, reserve1] = (await uniswap.view('pair2', pair, 'getReserves')) as [bigint, bigint]
    const [token0] = inPoolOrder(hub.contract, token.contract)
    const reserve = token0 === sold.contract ? reserve0 : reserve1
    const units = scaled(reserve, (growth - 1) / V2_FEE_SHARE)
    await give(ask, sold, units)
    return uniswap.sellV2(sold.contract, bought.contract, units)
  }
  const pool = await uniswap.pool(hub.contract, token.contract, feePpm)
  const [sqrtPriceX96] = (await uniswap.view('pool3', pool, 'slot0')) as [bigint]
  // A V3 price is token1 per token0: it falls if token0 is sold.
  const [token0] = inPoolOrder(hub.contract, token.contract)
  const limit = scaled(sqrtPriceX96, token0 === sold.contract ? 1 / growth : growth)
  const units = unitsOf(sold, HUB_WHOLE * BUDGET)
  await give(ask, sold, units)
  return uniswap.sellV3(sold.contract, bought.contract, feePpm, units, limit)
}

/** The liquidity providers take everything out. */
export async function emptyPool(ask: Ask, { kind, hub, token, feePpm }: PoolPlan): Promise<void> {
  const uniswap = uniswapOn(ask)
  if (kind === 'uniswap_v2') await uniswap.emptyV2(hub.contract, token.contract)
  else await uniswap.emptyV3(hub.contract, token.contract, feePpm)
}

function give(ask: Ask, { contract }: Side, units: bigint): Promise<unknown> {
  return ask('devnet_fund', [contract, EXCHANGE_OWNER, numberToHex(units)])
}

function unitsOf({ decimals }: Side, whole: bigint): bigint {
  return whole * 10n ** BigInt(decimals)
}

function scaled(value: bigint, factor: number): bigint {
  return (value * BigInt(Math.round(factor * SCALE))) / BigInt(SCALE)
}

/** The integer square root. */
function squareRoot(value: bigint): bigint {
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (let next = guess; ; guess = next) {
    next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
  }
}
