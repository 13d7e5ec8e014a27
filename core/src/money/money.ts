/**
 * Money is bigint base units of a named token. No floats: text comes in, text goes out, and every division says which
 * way it rounds. Amounts of two tokens are never added.
 */
import { Bug } from './errors.ts'
import type { Token } from './network.ts'

export interface Amount {
  token: Token
  units: bigint
}

export type Rounding = 'down' | 'up'

/** One, in the fixed point used for fractions (slippage, fee shares) and for US dollars. */
export const ONE = 10n ** 18n

/** US dollars in units of 10^-18. A price is the dollars of one whole token. */
export type Usd = bigint
export const USD_DECIMALS = 18

const powers = Array.from({ length: 40 }, (_, n) => 10n ** BigInt(n))

/** 10 to the power of `decimals`: the base units of one whole token. */
export function tenTo(decimals: number): bigint {
  return powers[decimals] ?? 10n ** BigInt(decimals)
}

export function mulDiv(a: bigint, b: bigint, divisor: bigint, rounding: Rounding): bigint {
  if (a < 0n || b < 0n || divisor <= 0n) throw new Bug('mulDiv takes no negative number', { a, b, divisor })
  const product = a * b
  return rounding === 'down' ? product / divisor : (product + divisor - 1n) / divisor
}

export function add(a: Amount, b: Amount): Amount {
  return { token: sameToken(a, b), units: a.units + b.units }
}

export function subtract(a: Amount, b: Amount): Amount {
  const token = sameToken(a, b)
  if (b.units > a.units) throw new Bug('an amount may not go below zero', { left: a.units, right: b.units })
  return { token, units: a.units - b.units }
}

export function isSameToken(a: Token, b: Token): boolean {
  return a.network === b.network && a.contract === b.contract && (a.contract !== null || a.symbol === b.symbol)
}

function sameToken(a: Amount, b: Amount): Token {
  if (!isSameToken(a.token, b.token)) {
    throw new Bug('amounts of two tokens do not add up', { left: a.token.symbol, right: b.token.symbol })
  }
  return a.token
}

/**
 * Parses a plain decimal ("0.1", "12"; no sign, no exponent) to fixed point. Null if it is malformed or has too many
 * digits.
 */
export function parseDecimal(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,60})(?:\.(\d{1,60}))?$/.exec(text)
  if (!match) return null
  const fraction = (match[2] ?? '').replace(/0+$/, '')
  if (fraction.length > decimals) return null
  return BigInt(match[1] + fraction.padEnd(decimals, '0'))
}

/** Adding and dividing a few doubles changes a value by at most one part in 2^51. */
const DOUBLE_NOISE = 2n ** 51n

/**
 * Like `parseDecimal`, for amounts that a client computed with doubles, such as 0.30000000000000004. Extra digits
 * are rounded off if that changes no more than double noise. Null if the extra digits mean something.
 */
export function parseNoisyDecimal(text: string, decimals: number): bigint | null {
  const exact = parseDecimal(text, decimals)
  if (exact !== null) return exact
  const [whole = '', fraction = ''] = text.split('.')
  if (!/^\d{1,60}$/.test(whole) || !/^\d{1,60}$/.test(fraction)) return null
  const given = BigInt(whole + fraction)
  const step = tenTo(fraction.length - decimals)
  const nearest = (given * 2n + step) / (step * 2n)
  const lost = nearest * step - given
  return (lost < 0n ? -lost : lost) * DOUBLE_NOISE <= given ? nearest : null
}

/** Fixed point to a plain decimal without an exponent and without trailing zeros. */
export function formatDecimal(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return sign + whole + (fraction ? `.${fraction}` : '')
}

/** The base units of the last digit shown to users. Fees are rounded to it so that the shown numbers add up. */
export function displayStep(token: Token): bigint {
  return tenTo(Math.max(0, token.decimals - token.precision))
}

export function roundToDisplay(units: bigint, token: Token, rounding: Rounding): bigint {
  const grid = displayStep(token)
  return mulDiv(units, 1n, grid, rounding) * grid
}

/** Rounds down to what the chain can transfer: some chains carry fewer decimals than the token has. */
export function roundToTransferable(units: bigint, token: Token): bigint {
  const step = transferableStep(token)
  return (units / step) * step
}

/** The smallest amount that can be sent. */
export function transferableStep({ decimals, sentDecimals = decimals }: Token): bigint {
  return tenTo(Math.max(0, decimals - sentDecimals))
}

/** Dollars as settings state them, a small plain number. */
export function usdOf(dollars: number): Usd {
  return parseDecimal(dollars.toFixed(6), USD_DECIMALS) ?? BigInt(Math.round(dollars)) * tenTo(USD_DECIMALS)
}

export function toUsd(units: bigint, token: Token, price: Usd, rounding: Rounding): Usd {
  return mulDiv(units, price, tenTo(token.decimals), rounding)
}

export function fromUsd(usd: Usd, token: Token, price: Usd, rounding: Rounding): bigint {
  return mulDiv(usd, tenTo(token.decimals), price, rounding)
}
