/**
 * Base units and dollars as numbers for people, truncated (never rounded) to the shown digits. Computed through text or
 * exact division, never through inexact floats.
 */
import { formatDecimal, type Token, tenTo, toUsd, type Usd } from '@causeway/core'

/** A millionth of a dollar is precise enough for any amount. */
const USD_DIGITS = 6
const FRACTION_DECIMALS = 18

export function human(units: bigint, { decimals, precision }: Token): number {
  return cut(units, decimals, precision)
}

export function humanUsd(usd: Usd): number {
  return cut(usd, FRACTION_DECIMALS, USD_DIGITS)
}

export function worth(units: bigint, token: Token, price: Usd): number {
  return humanUsd(toUsd(units, token, price, 'down'))
}

/** A fraction of ONE (slippage, rate, price) with all digits. */
export function fraction(value: bigint): number {
  return read(value, FRACTION_DECIMALS)
}

function cut(units: bigint, decimals: number, shown: number): number {
  const hidden = decimals - shown
  return hidden > 0 ? read(units / tenTo(hidden), shown) : read(units, decimals)
}

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER)
/** Powers of ten up to this one are exact as doubles. */
const MAX_EXACT_POWER = 22
const NINE_DIGITS = 10n ** 9n

/**
 * The double nearest to the decimal value, as parsing its text would give. If both operands are exact, one division
 * gives the same, because IEEE division rounds correctly.
 */
function read(units: bigint, decimals: number): number {
  if (units >= 0n && decimals <= MAX_EXACT_POWER) {
    if (units <= MAX_EXACT) return Number(units) / 10 ** decimals
    if (decimals >= 9 && units % NINE_DIGITS === 0n) return read(units / NINE_DIGITS, decimals - 9)
  }
  return Number(formatDecimal(units, decimals))
}

/** A duration as `hh:mm:ss`, without a day part; at least one second. */
export function timeSpan(ms: number): string {
  const seconds = Math.min(Math.max(1, Math.round(ms / 1000)), LONGEST_SECONDS)
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')
}

const LONGEST_SECONDS = 24 * 3600 - 1
