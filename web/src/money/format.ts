/** Formats numbers in the language of the page. */
import { plainNumber } from '@causeway/sdk/light'
import { locale } from '../text/language.ts'
import { DECIMAL_MARK, toUnits } from './parse-amount.ts'

const whole = new Intl.NumberFormat(locale)

/** Exact, with thousands separators: digits are never rounded away here. */
export function formatDecimal(decimal: string): string {
  const [before = '0', fraction] = decimal.split('.')
  const grouped = before.startsWith('-') ? `−${formatCount(before.slice(1))}` : formatCount(before)
  return fraction ? `${grouped}${DECIMAL_MARK}${fraction}` : grouped
}

/** A whole number with thousands separators. */
export function formatCount(count: number | bigint | string): string {
  return whole.format(typeof count === 'string' ? BigInt(count) : count)
}

/** A number with at most one digit after the decimal mark. */
export function formatAbout(count: number): string {
  return count.toLocaleString(locale, { maximumFractionDigits: 1 })
}

export function formatAmount(amount: number | string, symbol: string): string {
  return `${formatDecimal(typeof amount === 'number' ? plainNumber(amount) : amount)} ${visible(symbol)}`
}

/**
 * For amounts that are received, held or compared: six significant digits, or two after the decimal mark. Truncated, so
 * that it never shows too much. Amounts that a user must send are always shown exactly.
 */
export function formatShort(amount: number | string, symbol: string): string {
  return formatAmount(shorten(typeof amount === 'number' ? plainNumber(amount) : amount), symbol)
}

/** For cards in lists, whose page shows more: four significant digits, or two after the decimal mark. Truncated too. */
export function formatBrief(amount: number, symbol: string): string {
  return formatAmount(shorten(plainNumber(amount), BRIEF), symbol)
}

const SIGNIFICANT = 6
const BRIEF = 4

export function shorten(decimal: string, digits = SIGNIFICANT): string {
  const [before = '0', fraction = ''] = decimal.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const precision = before === '0' ? zeros + digits : Math.max(2, digits - before.length)
  return cut(decimal, precision)
}

/** A balance is for orientation: six significant digits. */
export function formatBalance(amount: string | number): string {
  return Number(amount).toLocaleString(locale, { maximumSignificantDigits: 6 })
}

/** A fraction as a percentage: `0.0035` is `0.35%`. */
export function formatPercent(fraction: number): string {
  return fraction.toLocaleString(locale, { style: 'percent', maximumFractionDigits: fraction < 0.001 ? 3 : 2 })
}

/** A rate is for comparison only: six significant digits are enough. */
export function formatRate(rate: number, symbol: string): string {
  return formatAmount(Number(rate.toPrecision(6)), symbol)
}

const USD = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
const dollars = new Intl.NumberFormat(locale, USD)
const cents = new Intl.NumberFormat(locale, { ...USD, maximumSignificantDigits: 2 })
const compact = new Intl.NumberFormat(locale, {
  ...USD,
  notation: 'compact',
  maximumFractionDigits: 1,
  minimumFractionDigits: 0,
})

export function formatUsd(value: number): string {
  return minus(value !== 0 && Math.abs(value) < 0.01 ? cents.format(value) : dollars.format(value))
}

/** Received dollars, rounded down to cents: never more than the sent dollars minus the shown fees. */
export function formatUsdDown(value: number): string {
  return formatUsd(value < 0.01 ? value : Math.floor(value * 100 + ROUNDING_ERROR) / 100)
}

/** `299.11 * 100` is slightly below 29911. */
const ROUNDING_ERROR = 1e-6

/** For tiles and charts: `$1.8M`, `$7.50`. */
export function formatUsdShort(value: number): string {
  const hasCents = Math.abs(value) < 1000 && !Number.isInteger(value)
  return hasCents ? formatUsd(value) : minus(compact.format(value))
}

/** `Intl` writes a hyphen in most languages. */
function minus(formatted: string): string {
  return formatted.replace('-', '−')
}

/** Dollars to base units of a token by its price; null if the price is unknown. */
export function usdToUnits(usd: string, price: number, decimals: number): bigint | null {
  const scale = 18
  const [top, bottom] = [toUnits(usd, scale), toUnits(plainNumber(price), scale)]
  if (top === null || !bottom) return null
  return (top * 10n ** BigInt(decimals)) / bottom
}

/** Truncates to fewer digits, so that the shown amount is never too high. */
export function cut(decimal: string, precision: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.')
  const kept = fraction.slice(0, precision).replace(/0+$/, '')
  return kept ? `${whole}.${kept}` : whole
}

export function shortAddress(address: string): string {
  return address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** Groups of four for comparing; `0x` belongs to the first one, as in the short form. */
export function inFours(address: string): string[] {
  const [, start = '', rest = ''] = /^(0x.{0,4}|.{0,4})(.*)$/.exec(address) ?? []
  return [start, ...(rest.match(/.{1,4}/g) ?? [])].filter(Boolean)
}

/** Shows control and bidi characters as boxes, because token names are untrusted text. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '▯')
}

/** An exchange by its id: `uniswap-v2` is `Uniswap v2`. */
export function providerName(id: string): string {
  const words = visible(id).replaceAll('-', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
