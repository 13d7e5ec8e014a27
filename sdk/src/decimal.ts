/** Plain decimals. JavaScript prints small and large numbers with an exponent, which amounts must not have. */

/** The shortest decimal without an exponent that parses to this number: `1e-8` becomes `0.00000001`. */
export function plainNumber(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match
  const digits = whole + fraction
  const point = 1 + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/**
 * Rewrites numbers like `1e-7`, which some programs put into URLs. Text that is not a JavaScript number's own form
 * stays as it is.
 */
export function plainText(text: string): string {
  return text.includes('e') && String(Number(text)) === text ? plainNumber(Number(text)) : text
}
