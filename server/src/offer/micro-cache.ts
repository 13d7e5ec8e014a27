/** Remembers what was made a moment ago, for questions that many ask at once. Failures are not remembered. */

/** Prices, fees and wallets are read anew every few seconds: nothing is noticeably older for having been kept so long. */
export const MOMENT_MS = 200
/** Enough for what is asked within a moment; beyond it everything is forgotten and begun anew. */
const MAX_ENTRIES = 2_000

/** All is forgotten too when `basis`, on which everything rests, is another thing than before. */
export function createMicroCache<Value>(
  keepMs: number,
  basis: () => unknown,
): (key: string, make: () => Value) => Value {
  let entries = new Map<string, Value>()
  let since = 0
  let restsOn = basis()
  return (key, make) => {
    const now = performance.now()
    if (now - since >= keepMs || entries.size >= MAX_ENTRIES || basis() !== restsOn) {
      entries = new Map()
      since = now
      restsOn = basis()
    }
    const known = entries.get(key)
    if (known !== undefined) return known
    const value = make()
    entries.set(key, value)
    return value
  }
}
