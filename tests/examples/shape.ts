/** The stable part of a recorded example: its fields and texts, without generated values. */

const DRAWN: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<id>'],
  [/\b0x[0-9a-fA-F]*/g, '<hex>'],
  [/127\.0\.0\.1:\d+/g, '<node>'],
  [/whsec_[\w+/=]+/g, '<secret>'],
  [/[\w+/]{80,}={0,2}/g, '<signature>'],
  [/v1,[\w+/]{43}=/g, '<signature>'],
  [/-?\d+(?:\.\d+)?(?:e-?\d+)?/g, '<number>'],
]

/** Numbers stay numbers, and null stays null. */
export function shapeOf(value: unknown): unknown {
  if (typeof value === 'number') return '<number>'
  if (typeof value === 'string') return DRAWN.reduce((text, [drawn, name]) => text.replace(drawn, name), value)
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}
