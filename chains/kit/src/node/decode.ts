/**
 * Decoders for JSON from outside. Each returns the value if it has the expected type; otherwise it throws, and the node
 * counts as failed.
 */

/** An object; arrays are rejected. */
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

/** An integer; negative numbers are accepted. */
export function asInteger(raw: unknown): number {
  if (typeof raw !== 'number' || !Number.isSafeInteger(raw)) throw new TypeError('an integer was expected')
  return raw
}

/** Null is read as null. A missing value is an error: the node left something out. */
export function nullable<T>(read: (raw: unknown) => T): (raw: unknown) => T | null {
  return (raw) => (raw === null ? null : read(raw))
}

/** For protocols that leave empty values out: null and a missing value are both read as null. */
export function optional<T>(read: (raw: unknown) => T): (raw: unknown) => T | null {
  return (raw) => (raw === null || raw === undefined ? null : read(raw))
}
