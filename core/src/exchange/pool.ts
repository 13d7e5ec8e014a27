/** Pools of on-chain exchanges as plain data: which pool, and its state at one block. */
export { POOL_KINDS, type Pool, type PoolKind } from '../money/network.ts'

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
