/** A cache that lives for a moment, for requests that many clients send at once. Errors are not cached. */

/** Prices, fees and balances are refreshed only every few seconds, so this adds no noticeable age. */
export const MOMENT_MS = 200
/** Enough for the requests of one moment. When it is full, the whole cache is cleared. */
const MAX_ENTRIES = 2_000

export interface MicroCache<Value> {
  get(key: string, make: () => Value): Value
  /** Undefined if nothing is cached. */
  find(key: string): Value | undefined
}

/** The cache is also cleared when `basis`, which every entry depends on, is another object than before. */
export function createMicroCache<Value>(keepMs: number, basis: () => unknown): MicroCache<Value> {
  let entries = new Map<string, Value>()
  let since = 0
  let restsOn = basis()
  const find = (key: string) => {
    const now = performance.now()
    if (now - since >= keepMs || entries.size >= MAX_ENTRIES || basis() !== restsOn) {
      entries = new Map()
      since = now
      restsOn = basis()
    }
    return entries.get(key)
  }
  return {
    find,
    get(key, make) {
      const known = find(key)
      if (known !== undefined) return known
      const value = make()
      entries.set(key, value)
      return value
    },
  }
}
