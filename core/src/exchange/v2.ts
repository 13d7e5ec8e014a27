/** The constant product pool of Uniswap V2 and its forks: the same integers as the pair contract. */
import { type Pool, PPM, type V2State } from './pool.ts'

/**
 * The output for an exact input; null if the pool is empty. `zeroForOne`: token0 is sold. The output is always below the
 * reserve, because the product of the reserves never falls.
 */
export function v2Out(
  { feePpm }: Pick<Pool, 'feePpm'>,
  state: V2State,
  zeroForOne: boolean,
  units: bigint,
): bigint | null {
  const [reserveIn, reserveOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
  if (reserveIn <= 0n || reserveOut <= 0n || units <= 0n || reserveIn + units > MAX_RESERVE) return null
  const afterFee = units * (PPM - BigInt(feePpm))
  return (afterFee * reserveOut) / (reserveIn * PPM + afterFee)
}

/** The pair stores its reserves as uint112 and rejects a swap beyond that. */
const MAX_RESERVE = 2n ** 112n - 1n
