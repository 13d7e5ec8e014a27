/** A route's amounts in tiers: a larger deposit needs more confirmations and takes longer. */
import { confirmationsFor, fromUsd, parseDecimal, quoteFor, roundToDisplay, totalFee, type Usd } from '@causeway/core'
import type { Offer } from './quote-service.ts'

export interface Tier {
  minUnits: bigint
  maxUnits: bigint
  feeForMinUnits: bigint
  feeForMaxUnits: bigint
  completionMs: number
}

/** The tiers from the smallest to the largest amount, without a gap at the shown precision. */
export function tiersOf(offer: Offer): Tier[] {
  const { pricing, limits, sourceChain } = offer
  const { network } = sourceChain
  const { source, sourcePrice } = pricing
  const fewest = confirmationsFor(network, 0)
  const tiers: Tier[] = []
  let minUnits = limits.minUnits
  for (const { upToUsd, confirmations } of network.confirmations) {
    if (minUnits > limits.maxUnits) break
    const bound =
      upToUsd === null
        ? limits.maxUnits
        : roundToDisplay(fromUsd(dollars(upToUsd), source, sourcePrice, 'down'), source, 'down')
    const maxUnits = bound < limits.maxUnits ? bound : limits.maxUnits
    if (maxUnits < minUnits) continue
    tiers.push({
      minUnits,
      maxUnits,
      feeForMinUnits: feeOf(offer, minUnits),
      feeForMaxUnits: feeOf(offer, maxUnits),
      completionMs: offer.completionMs + (confirmations - fewest) * network.pollMs,
    })
    minUnits = maxUnits + 10n ** BigInt(Math.max(0, source.decimals - source.precision))
  }
  return tiers
}

function feeOf({ pricing }: Offer, units: bigint): bigint {
  const quote = quoteFor(pricing, units, 0n)
  return quote ? totalFee(quote) : 0n
}

function dollars(value: number): Usd {
  return parseDecimal(value.toFixed(6), 18) ?? 0n
}
