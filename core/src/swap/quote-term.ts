/**
 * How long a quote is valid: longer if the two tokens hardly move against each other, and always long enough for a
 * deposit that is sent at once to be mined. And how much may be paid at old prices. Swaps cost nothing, so a stranger can
 * make many of them, wait until the price moves, and pay for those that became profitable. An old price that costs us no
 * more than the service fee is no loss. One that costs more is paid within the exposure limit.
 */
import { toUsd, type Usd } from '../money/money.ts'
import { assetOf, type Network, type Token } from '../money/network.ts'
import { isNear, type Pricing, type Quote } from './quote.ts'

const STEADY_MS = 15 * 60_000
const MOVING_MS = 5 * 60_000
/** How long a deposit waits for a better price, while the current one gives less than agreed, before the refund. */
export const PRICE_WAIT_MS = 30 * 60_000
/** Source blocks: the next block may be mined just before the deposit is sent. */
const BLOCKS = 2

export interface TermRules {
  /** Token groups that count as US dollars, such as USDC. */
  dollars: readonly string[]
  /** The operator's own term, which overrides the two above. */
  termMs: number | null
}

/** The longest term that a quote from any of these networks has. */
export function longestTermMs(networks: readonly Network[], { termMs }: TermRules): number {
  return Math.max(termMs ?? STEADY_MS, ...networks.map(({ blockMs }) => BLOCKS * (blockMs ?? 0)))
}

export function quoteTermMs(source: Token, destination: Token, network: Network, rules: TermRules): number {
  const groups = [source, destination].map(assetOf)
  const isSteady = groups[0] === groups[1] || groups.every((group) => rules.dollars.includes(group))
  const wantedMs = rules.termMs ?? (isSteady ? STEADY_MS : MOVING_MS)
  return Math.max(wantedMs, BLOCKS * (network.blockMs ?? 0))
}

/** A settlement at a price that costs us more than the service fee. */
export interface OldPrice {
  /** The priced assets between which we bear the price risk: after a sale or before a purchase the hub token's. */
  takenAsset: string
  paidAsset: string
  /** The value of the deposits, at the current price. */
  usd: Usd
}

/** Dollars settled at old prices that count for a swap, with the same asset taken, and with the same asset paid. */
export interface OldPricesPaid {
  takenUsd: Usd
  paidUsd: Usd
}

/** Null if the terms cost us at most the service fee more than the current ones. */
export function oldPriceOf(quote: Quote, today: Quote | null, pricing: Pricing): OldPrice | null {
  if (isNear(quote, today, pricing.serviceFeeBps)) return null
  const { source, destination, sourcePrice } = pricing
  return {
    takenAsset: assetOf(quote.legs?.sale?.buys ?? source),
    paidAsset: assetOf(quote.legs?.purchase?.sells ?? destination),
    usd: toUsd(quote.requestedUnits, source, sourcePrice, 'up'),
  }
}

/** Whether one more settlement at an old price stays within the limit. */
export function fitsExposure({ usd }: OldPrice, { takenUsd, paidUsd }: OldPricesPaid, limit: Usd): boolean {
  return usd + (takenUsd > paidUsd ? takenUsd : paidUsd) <= limit
}

/** The longest time for which a quote holds its price: its term, and the time in which a deposit waits for its price. */
export function exposureWindowMs(networks: readonly Network[], rules: TermRules): number {
  return longestTermMs(networks, rules) + PRICE_WAIT_MS
}

/**
 * From when on settlements at old prices count for a swap. All since its quote count: so of the swaps that were quoted before
 * a price move the limit is paid at the old price, however late a deposit is confirmed and however long a swap waits. Those
 * of a window before its quote count, too: so a series of moves uses the limit once per window, and clocks may differ.
 */
export function oldPricesCountFrom(quotedAt: Date, windowMs: number): Date {
  return new Date(quotedAt.getTime() - windowMs)
}
