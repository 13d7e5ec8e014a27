/**
 * The plans of a route: own liquidity alone, an exchange on the source, on the destination, or both. The price of a pool
 * token follows from its deepest pool and the hub token's price.
 */
import { BPS, isSameToken, mulDiv, type Swap, type Token, tenTo, type Usd } from '@causeway/core'
import type { LegOption, Providers } from './pools.ts'

export interface Plan {
  sale?: LegOption
  purchase?: LegOption
}

/** The depth of pools is compared at this price impact: one percent. */
const COMPARED_BPS = 100n

/** All plans of a route. A pool token needs an exchange; for another token it is an alternative to our own wallet. */
export function plansFor(providers: Providers, source: Token, destination: Token): Plan[] {
  const sales = ends(providers.options(source, 'sale').filter(isCountable), source)
  const purchases = ends(providers.options(destination, 'purchase'), destination)
  return sales.flatMap((sale) =>
    purchases.map((purchase): Plan => ({ ...(sale && { sale }), ...(purchase && { purchase }) })),
  )
}

/** The proceeds of a sale are read from the receipt's transfers, and a native token leaves none there. */
function isCountable({ hub }: LegOption): boolean {
  return hub.contract !== null
}

function ends(options: LegOption[], { poolOnly }: Token): (LegOption | null)[] {
  return poolOnly ? options : [null, ...options]
}

/**
 * The plan by which a swap is settled: the shape of the agreed quote, with the same hub tokens, over the pools that give
 * the most now. For an open amount: exchanges only if a pool token needs them. Null if no such plan is known now.
 */
export function settlementPlan(plans: readonly Plan[], swap: Swap): Plan | null {
  const agreed = swap.originalQuote ?? swap.quote
  const hubs = agreed?.legs ?? (agreed ? {} : null)
  const fits = (option: LegOption | undefined, hub: Token | undefined, isNeeded: boolean) =>
    hubs ? (option && hub ? isSameToken(option.hub, hub) : !option && !hub) : isNeeded === (option !== undefined)
  const possible = plans.filter(
    ({ sale, purchase }) =>
      fits(sale, hubs?.sale?.buys, swap.source.poolOnly === true) &&
      fits(purchase, hubs?.purchase?.sells, swap.destination.poolOnly === true),
  )
  const given = ({ sale, purchase }: Plan) =>
    (sale?.curve.out(agreed?.requestedUnits ?? 1n) ?? 1n) *
    (purchase?.curve.out(agreed?.legs?.purchase?.inUnits ?? 1n) ?? 1n)
  return possible.reduce((best: Plan | null, one) => (best && given(best) >= given(one) ? best : one), null)
}

/** The dollar price of a token by its deepest pool; null if no pool or no hub price is known. */
export function poolPrice(providers: Providers, token: Token, priceOf: (hub: Token) => Usd | null): Usd | null {
  const deepest = providers
    .options(token, 'sale')
    .map((option) => ({ ...option, depth: option.curve.maxIn(COMPARED_BPS) }))
    .reduce((best: (LegOption & { depth: bigint }) | null, one) => (best && best.depth >= one.depth ? best : one), null)
  const hubPrice = deepest && priceOf(deepest.hub)
  if (!deepest || !hubPrice || deepest.depth === 0n) return null
  const { spot } = deepest.curve
  const usd = mulDiv(spot.out * tenTo(token.decimals), hubPrice, spot.in * tenTo(deepest.hub.decimals), 'down')
  return usd > 0n ? usd : null
}

/** Whether two prices differ by at most this share of the larger one. */
export function isAgreed(one: Usd, other: Usd, deviationBps: bigint): boolean {
  const [low, high] = one < other ? [one, other] : [other, one]
  return (high - low) * BPS <= high * deviationBps
}
