/**
 * The gas price over the last half hour, in memory. A single value far above the median is more likely wrong than true;
 * a true price that lasts becomes the median.
 */

/** Minimum time between two samples: a burst of payouts must not outvote the time before. */
const EVERY_MS = 10_000
const KEPT_MS = 30 * 60_000
/** The fewest samples from which a usual price can be derived. */
const LEAST_SAMPLES = 6

/** Adds the sample unless the last one is too recent, and drops those that are too old. */
export function noteSample<Sample extends { at: number }>(samples: Sample[], sample: Sample): void {
  const last = samples.at(-1)
  if (last && sample.at - last.at < EVERY_MS) return
  samples.push(sample)
  const expired = samples.findIndex(({ at }) => at > sample.at - KEPT_MS)
  if (expired > 0) samples.splice(0, expired)
}

/** The recent samples; null if there are too few to derive a usual price. */
export function recentSamples<Sample extends { at: number }>(
  samples: readonly Sample[],
  now: number,
): readonly Sample[] | null {
  const recent = samples.filter(({ at }) => at > now - KEPT_MS)
  return recent.length < LEAST_SAMPLES ? null : recent
}

export function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}

/**
 * False if the value is more than `multiple` times the median of the recent samples. With too few samples, or if they
 * are all zero, every value is usual: the network file's ceiling is then the only bound.
 */
export function isUsual<Sample extends { at: number }>(
  value: bigint,
  samples: readonly Sample[],
  { now, multiple, of }: { now: number; multiple: bigint; of: (sample: Sample) => bigint },
): boolean {
  const usual = median(recentSamples(samples, now)?.map(of) ?? [])
  return usual === 0n || value <= usual * multiple
}

/** A fee reading, capped at the fee that we would sign: more is never paid, so more is never charged. */
export function atMost(reading: bigint, ceiling: bigint): bigint {
  return reading < ceiling ? reading : ceiling
}

/**
 * `wanted`, but at least `most / freePart` (a price below that is negligible and may rise freely) and at most `most`.
 */
export function clampCeiling(wanted: bigint, most: bigint, freePart: bigint): bigint {
  const least = most / freePart
  return atMost(wanted > least ? wanted : least, most)
}
