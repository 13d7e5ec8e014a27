/** Base units and dollars as the numbers that people read, cut (never rounded) to what is shown. Text in between, no float. */
import { formatDecimal, type Token, toUsd, type Usd } from '@causeway/core'

/** A millionth of a dollar says enough of any amount. */
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

/** Fractions of ONE (slippage, rates, prices) in full. */
export function fraction(value: bigint): number {
  return Number(formatDecimal(value, FRACTION_DECIMALS))
}

function cut(units: bigint, decimals: number, shown: number): number {
  const grid = 10n ** BigInt(Math.max(0, decimals - shown))
  return Number(formatDecimal((units / grid) * grid, decimals))
}

/** `hh:mm:ss`, without a day part; a moment is a second. */
export function timeSpan(ms: number): string {
  const seconds = Math.min(Math.max(1, Math.round(ms / 1000)), LONGEST_SECONDS)
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, '0'))
    .join(':')
}

const LONGEST_SECONDS = 24 * 3600 - 1
