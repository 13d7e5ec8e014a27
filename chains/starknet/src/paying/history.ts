/**
 * What gas cost in the last half hour, in memory. A single answer that is far above its median is more likely wrong than
 * true, and one that is true and lasts becomes the median.
 */

export interface PriceSample {
  at: number
  price: bigint
}

/** However many ask, one sample in so long: a burst of payouts must not outvote the time before. */
const EVERY_MS = 10_000
const KEPT_MS = 30 * 60_000
/** Fewer say nothing of what is usual; the file's own ceiling holds alone. */
const LEAST_SAMPLES = 6
/** Below this part of the file's ceiling a price may rise as it likes. */
const FREE_PART = 20n

export function note(samples: PriceSample[], price: bigint, now: number): void {
  const last = samples.at(-1)
  if (last && now - last.at < EVERY_MS) return
  samples.push({ at: now, price })
  const expired = samples.findIndex(({ at }) => at > now - KEPT_MS)
  if (expired > 0) samples.splice(0, expired)
}

/** The file's own ceiling, and no more than so many times the median of what was seen. */
export function ceilingOf(samples: readonly PriceSample[], most: bigint, multiple: bigint, now: number): bigint {
  const recent = samples.filter(({ at }) => at > now - KEPT_MS).map(({ price }) => price)
  if (recent.length < LEAST_SAMPLES) return most
  const sorted = recent.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const wanted = (sorted[Math.floor(sorted.length / 2)] ?? 0n) * multiple
  const least = most / FREE_PART
  const raised = wanted > least ? wanted : least
  return raised < most ? raised : most
}
