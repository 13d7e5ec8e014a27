/**
 * Display data of a quote: the prices it was made with, the refuel and the expected time. It is stored with the swap,
 * so that an old swap shows the numbers of its day. It is never used in calculations.
 */
import type { Usd } from '@causeway/core'
import { z } from 'zod'

/** The reward that a swap would earn. */
export interface Earning {
  campaign: string
  units: bigint
  usd: Usd
}

export interface QuoteView {
  sourcePrice: Usd
  destinationPrice: Usd
  refuel: { units: bigint; usd: Usd } | null
  completionMs: number
  /** The swap provider on the route; null if we pay from our own wallets. */
  provider: string | null
  /** The reward that the swap earns on completion. */
  reward: Earning | null
}

export function storedView({
  sourcePrice,
  destinationPrice,
  refuel,
  completionMs,
  provider,
  reward,
}: QuoteView): Record<string, unknown> {
  return {
    sourcePrice: sourcePrice.toString(),
    destinationPrice: destinationPrice.toString(),
    refuel: refuel && { units: refuel.units.toString(), usd: refuel.usd.toString() },
    completionMs,
    provider,
    reward: reward && { ...reward, units: reward.units.toString(), usd: reward.usd.toString() },
  }
}

const Whole = z.string().transform(BigInt)
const Stored = z.object({
  sourcePrice: Whole,
  destinationPrice: Whole,
  refuel: z.object({ units: Whole, usd: Whole }).nullable(),
  completionMs: z.number(),
  provider: z.string().nullable().default(null),
  reward: z.object({ campaign: z.string(), units: Whole, usd: Whole }).nullable().default(null),
})

export function parseView(stored: Record<string, unknown>): QuoteView {
  return Stored.parse(stored)
}
