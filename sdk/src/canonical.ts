/** Canonical JSON (RFC 8785): no spaces, names sorted by UTF-16 units, numbers as JavaScript prints them. */

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts: string[] = []
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, item] of entries) {
    if (item !== undefined) parts.push(`${JSON.stringify(name)}:${canonicalJson(item)}`)
  }
  return `{${parts.join(',')}}`
}
