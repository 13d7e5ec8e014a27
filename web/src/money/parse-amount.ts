/**
 * Parses an amount as people type it: both decimal marks, with or without thousands separators. Ambiguous input is
 * reported.
 */
import { locale } from '../text/language.ts'

export const DECIMAL_MARK =
  new Intl.NumberFormat(locale).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'

export type Typed =
  | { state: 'empty' }
  | { state: 'bad' }
  | { state: 'ok'; decimal: string }
  /** The two readings of an ambiguous amount, as plain decimals. */
  | { state: 'ambiguous'; grouped: string; fraction: string }

/** `mark`: the decimal mark of the person's language, which is never ambiguous. */
export function parseAmount(text: string, mark = DECIMAL_MARK): Typed {
  const given = text.trim().replace(/[\s'’_\u00a0\u202f]/g, '')
  if (given === '') return { state: 'empty' }
  if (!/^[\d.,]+$/.test(given) || !/\d/.test(given)) return { state: 'bad' }
  const marks = given.replace(/\d/g, '')
  if (marks === '') return plain(given, '')
  const last = marks.at(-1) ?? ''
  const isMixed = new Set(marks).size > 1
  if (marks.length > 1 && !isMixed) return grouped(given, last)
  const at = given.lastIndexOf(last)
  const [whole, fraction] = [given.slice(0, at), given.slice(at + 1)]
  if (isMixed) {
    const other = last === '.' ? ',' : '.'
    return isGrouped(whole, other) ? plain(whole.replaceAll(other, ''), fraction) : { state: 'bad' }
  }
  if (last !== mark && /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3)
    return { state: 'ambiguous', grouped: whole + fraction, fraction: trimmed(whole, fraction) }
  return plain(whole, fraction)
}

function grouped(text: string, mark: string): Typed {
  return isGrouped(text, mark) ? plain(text.replaceAll(mark, ''), '') : { state: 'bad' }
}

function isGrouped(text: string, mark: string): boolean {
  return new RegExp(`^\\d{1,3}(\\${mark}\\d{3})*$`).test(text)
}

function plain(whole: string, fraction: string): Typed {
  return { state: 'ok', decimal: trimmed(whole, fraction) }
}

function trimmed(whole: string, fraction: string): string {
  const left = whole.replace(/^0+(?=\d)/, '') || '0'
  const right = fraction.replace(/0+$/, '')
  return right ? `${left}.${right}` : left
}

/** An amount as a person would type it: a plain decimal in a field could be read as thousands. */
export function asTyped(decimal: string, mark = DECIMAL_MARK): string {
  return decimal.replace('.', mark)
}

/** Converts to base units; null if the decimal has more digits than the token. */
export function toUnits(decimal: string, decimals: number): bigint | null {
  const [whole = '0', fraction = ''] = decimal.split('.')
  if (fraction.length > decimals) return null
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

export function fromUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const at = digits.length - decimals
  return trimmed(digits.slice(0, at), digits.slice(at))
}
