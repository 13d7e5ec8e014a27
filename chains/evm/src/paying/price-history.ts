/** Recent gas prices and the ceilings that follow: the network file's own, capped at a multiple of the usual price. */
import { clampCeiling, median, noteSample, recentSamples } from '@causeway/chain-kit'
import type { Settings } from '../settings.ts'

export interface Prices {
  baseFee: bigint
  tip: bigint
}

export interface PriceSample extends Prices {
  at: number
}

/** Below this fraction of the file's ceiling a price may rise freely: on an idle chain it is negligible. */
const FREE_PART = 50n

export function note(samples: PriceSample[], prices: Prices, now: number): void {
  noteSample(samples, { ...prices, at: now })
}

/** The median prices; null if there are too few samples, and then only the file's ceiling applies. */
export function usual(samples: readonly PriceSample[], now: number): Prices | null {
  const recent = recentSamples(samples, now)
  return (
    recent && {
      baseFee: median(recent.map(({ baseFee }) => baseFee)),
      tip: median(recent.map(({ tip }) => tip)),
    }
  )
}

export interface Ceilings {
  price: bigint
  tip: bigint
}

/** The file's own ceiling, capped at `maxFeeMultiple` times the usual price. */
export function ceilings(settings: Settings, past: Prices | null): Ceilings {
  const { maxFeePerGas, maxTipPerGas, minTipPerGas, maxFeeMultiple } = settings
  if (!past) return { price: maxFeePerGas, tip: maxTipPerGas }
  const tip = clampCeiling(past.tip * maxFeeMultiple, maxTipPerGas, FREE_PART)
  return {
    price: clampCeiling((past.baseFee + past.tip) * maxFeeMultiple, maxFeePerGas, FREE_PART),
    tip: tip > minTipPerGas ? tip : minTipPerGas,
  }
}
