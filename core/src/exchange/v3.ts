/**
 * The concentrated liquidity pool of Uniswap V3 and its forks: the same integers as the pool contract, step by step,
 * because the contract rounds at each step.
 */
import { mulDiv } from '../money/money.ts'
import { type Pool, PPM, type V3State } from './pool.ts'
import { MAX_TICK, MIN_TICK, nextTick, sqrtPriceAt } from './ticks.ts'

/** The output for an exact input; null if the input moves the price out of the ticks that were read. */
export function v3Out(
  { feePpm }: Pick<Pool, 'feePpm'>,
  state: V3State,
  zeroForOne: boolean,
  units: bigint,
): bigint | null {
  if (units <= 0n || state.sqrtPriceX96 <= 0n) return null
  let { sqrtPriceX96: price, tick, liquidity } = state
  let left = units
  let out = 0n
  while (left > 0n) {
    const { index, crossed } = nextTick(state, tick, zeroForOne)
    if (index < state.fromTick || index > state.toTick || index <= MIN_TICK || index >= MAX_TICK) return null
    const step = swapStep(price, sqrtPriceAt(index), liquidity, left, BigInt(feePpm))
    left -= step.used
    out += step.out
    price = step.price
    if (!step.isWhole) break
    if (crossed) liquidity += zeroForOne ? -crossed.liquidityNet : crossed.liquidityNet
    if (liquidity < 0n) return null
    tick = zeroForOne ? index - 1 : index
  }
  return out
}

interface Step {
  price: bigint
  /** The part of the input that the step used, with the fee. */
  used: bigint
  out: bigint
  /** True if the step reached its target, so that another step follows. */
  isWhole: boolean
}

/** One step at constant liquidity, towards the price of the next tick. */
function swapStep(price: bigint, target: bigint, liquidity: bigint, left: bigint, feePpm: bigint): Step {
  const zeroForOne = target <= price
  const afterFee = mulDiv(left, PPM - feePpm, PPM, 'down')
  const needed = inputBetween(price, target, liquidity, zeroForOne)
  const reached = afterFee >= needed ? target : priceAfterInput(price, liquidity, afterFee, zeroForOne)
  const out = zeroForOne ? amount1(reached, price, liquidity, 'down') : amount0(price, reached, liquidity, 'down')
  // A partial step takes the rest as its fee. That can end exactly at the target, too.
  if (reached !== target) return { price: reached, used: left, out, isWhole: false }
  return { price: target, used: needed + mulDiv(needed, feePpm, PPM - feePpm, 'up'), out, isWhole: true }
}

function inputBetween(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? amount0(to, from, liquidity, 'up') : amount1(from, to, liquidity, 'up')
}

/** The amount of token0 between two square root prices. Rounded twice, like in the contract. */
function amount0(low: bigint, high: bigint, liquidity: bigint, rounding: 'up' | 'down'): bigint {
  return mulDiv(mulDiv(liquidity << 96n, high - low, high, rounding), 1n, low, rounding)
}

function amount1(low: bigint, high: bigint, liquidity: bigint, rounding: 'up' | 'down'): bigint {
  return mulDiv(liquidity, high - low, Q96, rounding)
}

function priceAfterInput(price: bigint, liquidity: bigint, units: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return price + (units << 96n) / liquidity
  if (units === 0n) return price
  const numerator = liquidity << 96n
  const denominator = numerator + units * price
  // The contract divides another way, with another rounding, if its 256 bits would overflow.
  if (units * price <= MAX_UINT256 && denominator <= MAX_UINT256) return mulDiv(numerator, price, denominator, 'up')
  return mulDiv(numerator, 1n, numerator / price + units, 'up')
}

const Q96 = 2n ** 96n
const MAX_UINT256 = 2n ** 256n - 1n
