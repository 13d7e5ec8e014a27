/**
 * Values that this browser stores, all of them optional: recent tokens and addresses, own swaps, the theme, the
 * language.
 */

const PREFIX = 'causeway.'
/** Stored as plain text, because `start.js` reads them. */
const PLAIN = ['theme', 'language']

/** A stored value; null if nothing was stored, or storage is unavailable. */
export function kept<Value>(key: string): Value | null {
  try {
    const text = localStorage.getItem(PREFIX + key)
    if (text === null) return null
    return PLAIN.includes(key) ? (text as Value) : (JSON.parse(text) as Value)
  } catch {
    return null
  }
}

export function keep(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key)
    else localStorage.setItem(PREFIX + key, PLAIN.includes(key) ? String(value) : JSON.stringify(value))
  } catch {
    // The pages work without storage.
  }
}

/** Adds a value to a stored list: newest first, without duplicates. */
export function keepAmong(key: string, value: string, most: number): void {
  const before = (kept<string[]>(key) ?? []).filter((other) => other !== value)
  keep(key, [value, ...before].slice(0, most))
}

export function forgetEverything(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  } catch {
    // Storage is unavailable: nothing was stored.
  }
}
