/** Ticks of a Uniswap V3 pool: the square root price at a tick, and the next tick at which a swap's step ends. */
import { Bug } from '../money/errors.ts'
import type { TickLiquidity, V3State } from './pool.ts'

export const MIN_TICK = -887_272
export const MAX_TICK = 887_272

/** One bit per tick: the pool stores which ticks are initialised in words of this size, and a step ends at each word. */
export const WORD_TICKS = 256

/** sqrt(1.0001 ** tick) in Q64.96, rounded like the pool's own library. */
export function sqrtPriceAt(tick: number): bigint {
  const size = Math.abs(tick)
  if (!Number.isInteger(tick) || size > MAX_TICK) throw new Bug('not a tick', { tick })
  let ratio = Q128
  for (const [bit, power] of POWERS.entries()) if (size & (1 << bit)) ratio = (ratio * power) >> 128n
  if (tick > 0) ratio = MAX_UINT256 / ratio
  return (ratio >> 32n) + (ratio % Q32 === 0n ? 0n : 1n)
}

export interface NextTick {
  index: number
  /** Null if no liquidity starts or ends here: the step only ends at the word's edge. */
  crossed: TickLiquidity | null
}

/**
 * The end of the next step: the nearest initialised tick within one word of the bitmap, or else the word's edge. The
 * pool rounds at each step, so a step must end at the same tick as in the contract.
 */
export function nextTick(state: V3State, tick: number, isDownwards: boolean): NextTick {
  const { tickSpacing, ticks } = state
  const compressed = Math.floor(tick / tickSpacing) + (isDownwards ? 0 : 1)
  const word = Math.floor(compressed / WORD_TICKS)
  const first = compressed * tickSpacing
  const edge = (isDownwards ? word * WORD_TICKS : (word + 1) * WORD_TICKS - 1) * tickSpacing
  const crossed = isDownwards
    ? ticks.findLast(({ index }) => index <= first && index >= edge)
    : ticks.find(({ index }) => index >= first && index <= edge)
  return { index: crossed?.index ?? edge, crossed: crossed ?? null }
}

const Q32 = 2n ** 32n
const Q128 = 2n ** 128n
const MAX_UINT256 = 2n ** 256n - 1n

/** 1 / sqrt(1.0001) to the powers 1, 2, 4, 8 and so on in Q128, rounded to the nearest unit. */
const POWERS = powersOfTwo(20)

function powersOfTwo(count: number): bigint[] {
  // Computed with 512 binary digits: squaring twenty times loses far fewer digits than are cut off at the end.
  const digits = 512n
  const cut = digits - 128n
  const powers: bigint[] = []
  let power = squareRoot((2n ** (2n * digits) * 10_000n) / 10_001n)
  for (let n = 0; n < count; n++) {
    powers.push((power + 2n ** (cut - 1n)) >> cut)
    power = (power * power) >> digits
  }
  return powers
}

function squareRoot(value: bigint): bigint {
  let guess = value
  let next = (guess + 1n) / 2n
  while (next < guess) {
    guess = next
    next = (guess + value / guess) / 2n
  }
  return guess
}
