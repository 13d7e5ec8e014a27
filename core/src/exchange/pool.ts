/** Pools of on-chain exchanges as plain data: which pool, and its state at one block. */
import type { Address } from '../money/address.ts'

export const POOL_KINDS = ['uniswap_v2', 'uniswap_v3'] as const
export type PoolKind = (typeof POOL_KINDS)[number]

export interface Pool {
  kind: PoolKind
  address: Address
  /** The two token contracts in the pool's own order. The native token is named by its wrapped contract. */
  token0: Address
  token1: Address
  /** The pool's fee in parts per million: 3000 is 0.3 %. For V3 it is the fee tier. */
  feePpm: number
}

export type PoolState = V2State | V3State

export interface V2State {
  kind: 'uniswap_v2'
  reserve0: bigint
  reserve1: bigint
}

export interface V3State {
  kind: 'uniswap_v3'
  sqrtPriceX96: bigint
  /** The liquidity in range at the present price. */
  liquidity: bigint
  tick: number
  tickSpacing: number
  /** All initialised ticks from `fromTick` to `toTick`, sorted by index. */
  ticks: readonly TickLiquidity[]
  /** The range of ticks that was read, in whole words of the pool's bitmap. Nothing is known beyond it. */
  fromTick: number
  toTick: number
}

export interface TickLiquidity {
  index: number
  liquidityNet: bigint
}

/** The fee of a pool is a share of this. */
export const PPM = 1_000_000n
