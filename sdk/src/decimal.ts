/** Numbers as people write them. JavaScript prints small and large ones with an exponent, which no amount may have. */

/** The shortest decimal that reads back as this number, without an exponent: `1e-8` becomes `0.00000001`. */
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

/** Programs put numbers into addresses as their language prints them: `1e-7` too. What nothing prints stays as it is. */
export function plainText(text: string): string {
  return text.includes('e') && String(Number(text)) === text ? plainNumber(Number(text)) : text
}
