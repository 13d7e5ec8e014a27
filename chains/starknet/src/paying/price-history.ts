/** Recent gas prices and the ceiling that follows: the network file's own, capped at a multiple of the median. */
import { clampCeiling, median, noteSample, recentSamples } from '@causeway/chain-kit'

export interface PriceSample {
  at: number
  price: bigint
}

/** Below this fraction of the file's ceiling a price may rise freely. */
const FREE_PART = 20n

export function note(samples: PriceSample[], price: bigint, now: number): void {
  noteSample(samples, { at: now, price })
}

/** The price ceiling. With too few samples only the file's ceiling applies. */
export function ceilingOf(samples: readonly PriceSample[], most: bigint, multiple: bigint, now: number): bigint {
  const recent = recentSamples(samples, now)
  if (!recent) return most
  return clampCeiling(median(recent.map(({ price }) => price)) * multiple, most, FREE_PART)
}
