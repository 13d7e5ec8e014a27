/** Reading JSON that came from outside: each function takes what it was promised, or throws, and the node then counts as failed. */

/** A list is none. */
export function asObject(raw: unknown): Record<string, unknown> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new TypeError('an object was expected')
  return raw as Record<string, unknown>
}

export function asArray(raw: unknown): unknown[] {
  if (!Array.isArray(raw)) throw new TypeError('a list was expected')
  return raw
}

export function asString(raw: unknown): string {
  if (typeof raw !== 'string') throw new TypeError('a text was expected')
  return raw
}

export function asUint(raw: unknown): number {
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw) || raw < 0)
    throw new TypeError('a whole number was expected')
  return raw
}
