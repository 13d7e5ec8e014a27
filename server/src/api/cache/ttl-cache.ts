/**
 * A TTL cache with single flight, for expensive answers (a node call, a sum): concurrent callers share one computation.
 */

import { boundedMap } from '@causeway/chain-kit'

export interface TtlCache<Value> {
  get(key: string, make: () => Promise<Value>): Promise<Value>
}

/** `most` bounds the entries; the oldest are dropped first. */
export function createTtlCache<Value>(keepMs: number, most = 10_000): TtlCache<Value> {
  const kept = boundedMap<string, { value: Promise<Value>; since: number }>(most)
  return {
    get(key, make) {
      const now = performance.now()
      const known = kept.get(key)
      if (known && now - known.since < keepMs) return known.value
      const entry = { value: make(), since: now }
      // Re-inserted at the end, so that the map is ordered by age.
      kept.delete(key)
      kept.set(key, entry)
      entry.value.catch(() => kept.get(key) === entry && kept.delete(key))
      return entry.value
    },
  }
}
