/** One pool in one direction: the output of any input, the inverse, and how far an input moves the price. */
import type { Address } from '../money/address.ts'
import { mulDiv } from '../money/money.ts'
import { type Pool, type PoolState, PPM } from './pool.ts'
import { v2Out } from './v2.ts'
import { v3Out } from './v3.ts'

export interface PoolCurve {
  /** The output for an exact input; null beyond the known depth. */
  out(units: bigint): bigint | null
  /** The smallest input whose output is at least `units`; null if the known depth never gives that. */
  inFor(units: bigint): bigint | null
  /**
   * How much worse than the present price this input is exchanged, in basis points, rounded up. The pool's fee does not
   * count: it is the same for every amount. Null beyond the known depth.
   */
  impactBps(units: bigint): bigint | null
  /** The largest input with an impact of at most `bps`; 0 if there is none. Computed once. */
  maxIn(bps: bigint): bigint
  /** The present price without the fee: `out` units for `in` units. */
  spot: { in: bigint; out: bigint }
}

export const BPS = 10_000n
/** Below this output the rounding to whole units looks like a price impact. */
const ROUNDED_OUT = 10_000n
/** No token has more units than fit into 128 bits; a search ends there. */
const MAX_UNITS = 2n ** 128n

/** Null if the pool does not hold the token, or is empty. */
export function poolCurve(pool: Pool, state: PoolState, tokenIn: Address): PoolCurve | null {
  const zeroForOne = tokenIn === pool.token0
  if (state.kind !== pool.kind || (!zeroForOne && tokenIn !== pool.token1)) return null
  const spot = spotPrice(state, zeroForOne)
  if (spot.in <= 0n || spot.out <= 0n) return null
  const out = (units: bigint) =>
    state.kind === 'uniswap_v2' ? v2Out(pool, state, zeroForOne, units) : v3Out(pool, state, zeroForOne, units)
  const impactBps = (units: bigint) => impact(pool, spot, units, out(units))
  const known = new Map<bigint, bigint>()
  return {
    out,
    impactBps,
    spot,
    inFor(units) {
      const reaches = (input: bigint) => (out(input) ?? 0n) >= units
      // Doubles up to the known depth, and on to its very end if that is not enough.
      const below = largest((input) => out(input) !== null && !reaches(input))
      return reaches(below + 1n) ? below + 1n : null
    },
    maxIn(bps) {
      const found = known.get(bps) ?? largest((input) => isWithin(input, bps))
      known.set(bps, found)
      return found
    },
  }

  function isWithin(units: bigint, bps: bigint): boolean {
    const output = out(units)
    if (output === null) return false
    // At the present price the output must be small, too: an emptied pool rounds every output to a few units.
    if (output < ROUNDED_OUT) return atSpotPrice(pool, spot, units) < 2n * ROUNDED_OUT
    return (impact(pool, spot, units, output) ?? BPS) <= bps
  }
}

function spotPrice(state: PoolState, zeroForOne: boolean): { in: bigint; out: bigint } {
  const [one, other] =
    state.kind === 'uniswap_v2'
      ? [state.reserve0, state.reserve1]
      : [2n ** 192n, state.sqrtPriceX96 * state.sqrtPriceX96]
  return zeroForOne ? { in: one, out: other } : { in: other, out: one }
}

function impact(pool: Pool, spot: { in: bigint; out: bigint }, units: bigint, output: bigint | null): bigint | null {
  if (output === null) return null
  const atSpot = atSpotPrice(pool, spot, units)
  return output >= atSpot ? 0n : mulDiv(atSpot - output, BPS, atSpot, 'up')
}

/** The output if the input did not move the price: after the pool's fee. */
function atSpotPrice(pool: Pool, spot: { in: bigint; out: bigint }, units: bigint): bigint {
  const afterFee = units * (PPM - BigInt(pool.feePpm))
  // V3 takes its fee in whole units. Of a small input that is a large share, and no price impact.
  return pool.kind === 'uniswap_v3' ? ((afterFee / PPM) * spot.out) / spot.in : (afterFee * spot.out) / (spot.in * PPM)
}

/** The largest number for which a condition holds that holds up to some number and not beyond; 0 if it never holds. */
function largest(holds: (units: bigint) => boolean): bigint {
  let high = 1n
  while (high < MAX_UNITS && holds(high)) high *= 2n
  let low = high / 2n
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}
