/**
 * What gas cost in the last half hour, in memory. A single answer that is far above its median is more likely wrong than true,
 * and one that is true and lasts becomes the median.
 */
import type { Settings } from '../settings.ts'

export interface Prices {
  baseFee: bigint
  tip: bigint
}

export interface PriceSample extends Prices {
  at: number
}

/** However many ask, one sample in so long: a burst of payouts must not outvote the time before. */
const EVERY_MS = 10_000
const KEPT_MS = 30 * 60_000
/** Fewer say nothing of what is usual; the file's own ceiling holds alone. */
const LEAST_SAMPLES = 6
/** Below this part of the file's ceiling a price may rise as it likes: on an idle chain it is next to nothing. */
const FREE_PART = 50n

export function note(samples: PriceSample[], prices: Prices, now: number): void {
  const last = samples.at(-1)
  if (last && now - last.at < EVERY_MS) return
  samples.push({ ...prices, at: now })
  const expired = samples.findIndex(({ at }) => at > now - KEPT_MS)
  if (expired > 0) samples.splice(0, expired)
}

/** Null before enough is known. */
export function usual(samples: readonly PriceSample[], now: number): Prices | null {
  const recent = samples.filter(({ at }) => at > now - KEPT_MS)
  if (recent.length < LEAST_SAMPLES) return null
  return {
    baseFee: median(recent.map(({ baseFee }) => baseFee)),
    tip: median(recent.map(({ tip }) => tip)),
  }
}

export interface Ceilings {
  price: bigint
  tip: bigint
}

/** The file's own, and no more than so many times what is usual. */
export function ceilings(settings: Settings, past: Prices | null): Ceilings {
  const { maxFeePerGas, maxTipPerGas, minTipPerGas, maxFeeMultiple } = settings
  if (!past) return { price: maxFeePerGas, tip: maxTipPerGas }
  const tip = within(past.tip * maxFeeMultiple, maxTipPerGas)
  return {
    price: within((past.baseFee + past.tip) * maxFeeMultiple, maxFeePerGas),
    tip: tip > minTipPerGas ? tip : minTipPerGas,
  }
}

function within(wanted: bigint, most: bigint): bigint {
  const least = most / FREE_PART
  const raised = wanted > least ? wanted : least
  return raised < most ? raised : most
}

function median(values: bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}
