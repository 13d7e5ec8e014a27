/**
 * Amounts as a gateway prints them: as doubles with ten decimals, so 2684105.01 becomes "2684105.0099999998". Rounding
 * to the token's decimals gives the exact amount back below about 2^52 units; above, neighbours share one double.
 */
import { parseNoisyDecimal } from '@causeway/core'

export function isAmount(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,60}(\.\d{1,60})?$/.test(value)
}

/** Below this many units the nearest amount to a printed double is the exact one. */
const EXACT_BELOW = 2n ** 52n
/** A printed sum of doubles is off by at most one part in this many, as `parseNoisyDecimal` reads it. */
const NOISE_PART = 2n ** 51n

/** How far an amount that was read from a gateway may be off: zero if it is exact. */
export function noiseOf(units: bigint): bigint {
  return units < EXACT_BELOW ? 0n : units / NOISE_PART + 1n
}

/** The amount of a ledger row. Exact if `noiseOf` says so. Rounded down if the row has digits that the token has not. Null if it is no amount. */
export function unitsIn(amount: unknown, decimals: number): bigint | null {
  if (!isAmount(amount)) return null
  const nearest = parseNoisyDecimal(amount, decimals)
  if (nearest !== null) return nearest
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/** The decimals that a gateway prints; trailing zeros are cut. */
const PRINTED_DECIMALS = 10

/** The amount that a gateway's ledger row for this one reads as. Equal to the amount unless a double cannot hold it. */
export function unitsAfterPrinting(units: bigint, decimals: number): bigint {
  const printed = (Number(units) / 10 ** decimals).toFixed(PRINTED_DECIMALS)
  return unitsIn(printed, decimals) ?? 0n
}
