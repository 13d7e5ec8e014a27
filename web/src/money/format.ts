/** Numbers and times for people. */
import { plainNumber } from '@causeway/sdk/light'
import { toUnits } from './parse-amount.ts'

/** Exact, with thousands separators: digits are never rounded away here. */
export function formatDecimal(decimal: string): string {
  const [whole = '0', fraction] = decimal.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction ? `${grouped}.${fraction}` : grouped
}

export function formatAmount(amount: number | string, symbol: string): string {
  return `${formatDecimal(typeof amount === 'number' ? plainNumber(amount) : amount)} ${visible(symbol)}`
}

/** A number of the API, exact, with thousands separators. */
export function formatDecimalOf(amount: number): string {
  return formatDecimal(plainNumber(amount))
}

/** A balance is for orientation: six significant digits. */
export function formatBalance(amount: string | number): string {
  return Number(amount).toLocaleString('en-US', { maximumSignificantDigits: 6 })
}

/** A fraction as a percentage: `0.0035` is `0.35%`. */
export function formatPercent(fraction: number): string {
  return `${+(fraction * 100).toFixed(fraction < 0.001 ? 3 : 2)}%`
}

/** A rate is for comparison only: six significant digits are enough. */
export function formatRate(rate: number, symbol: string): string {
  return formatAmount(Number(rate.toPrecision(6)), symbol)
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 })

export function formatUsd(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? cents.format(value) : dollars.format(value)
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

export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 120) return `${whole} s`
  const minutes = Math.round(whole / 60)
  if (minutes < 120) return `${minutes} min`
  return `${Math.round(minutes / 60)} h`
}

export function formatAge(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 172_800) return `${formatSeconds(whole)} ago`
  return `${Math.round(whole / 86_400)} d ago`
}

/** A countdown: `14:32`, or `5 h` if there is that much time. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds >= 3600) return formatSeconds(seconds)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** A duration, at least one second. */
export function formatTook(seconds: number): string {
  return formatSeconds(Math.max(1, seconds))
}

/** `00:00:38` in seconds. */
export function secondsOf(span: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = span.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

export function formatTime(iso: string): string {
  const date = new Date(iso)
  const isToday = date.toDateString() === new Date().toDateString()
  return date.toLocaleString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
  })
}

/** With seconds, for the steps of a swap. */
export function formatClock(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
}

export function formatDay(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
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
