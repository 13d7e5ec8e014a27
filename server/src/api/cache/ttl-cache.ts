/** Answers that are dear to make (a node is asked, sums are made): kept for a moment, and made once for all who ask meanwhile. */

import { boundedMap } from '@causeway/chain-kit'

export interface TtlCache<Value> {
  get(key: string, make: () => Promise<Value>): Promise<Value>
}

/** `most` bounds what is remembered; the oldest are forgotten first. */
export function createTtlCache<Value>(keepMs: number, most = 10_000): TtlCache<Value> {
  const kept = boundedMap<string, { value: Promise<Value>; since: number }>(most)
  return {
    get(key, make) {
      const now = performance.now()
      const known = kept.get(key)
      if (known && now - known.since < keepMs) return known.value
      const entry = { value: make(), since: now }
      // Put at the end anew: the map is then ordered by age.
      kept.delete(key)
      kept.set(key, entry)
      entry.value.catch(() => kept.get(key) === entry && kept.delete(key))
      return entry.value
    },
  }
}
