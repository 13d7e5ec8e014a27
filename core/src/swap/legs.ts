/**
 * Legs: exchanges through a swap provider, as a part of a quote. A sale exchanges the deposited token for a hub token that
 * we hold, on the source network. A purchase spends a hub token on the destination network, and its output goes straight
 * to the recipient. Both have an exact input and a minimum output that the exchange itself enforces. A sale that the
 * depositor's own transaction makes is no part of the quote: the swap is then one from the hub token.
 */
import type { PoolCurve } from '../exchange/curve.ts'
import { mulDiv, ONE, roundToTransferable, type Usd } from '../money/money.ts'
import type { Token } from '../money/network.ts'

/** One way to exchange between a token and a hub token, from state in memory. */
export interface LegPricing {
  /** The name of the provider in the network file. */
  provider: string
  hub: Token
  hubPrice: Usd
  curve: PoolCurve
  /** `routeText` of the pool or aggregator. */
  route: string
  /** A larger price impact is not offered. */
  maxImpactBps: bigint
  /** More slippage than this is not passed on to an exchange: it would invite sandwich attacks. */
  maxSlippage: bigint
}

export interface LegQuote {
  provider: string
  network: string
  sells: Token
  buys: Token
  inUnits: bigint
  /** The expected output; of a sale that was made, the part of its proceeds that is paid on. */
  outUnits: bigint
  /** The output that had been expected of a sale that was made. */
  expectedUnits?: bigint
  /** The least output; with less the exchange reverts. */
  minUnits: bigint
  route: string
  impactBps: bigint
}

export interface Legs {
  sale?: LegQuote
  purchase?: LegQuote
}

/** The part of a quote that the bounds of its legs follow from. */
interface Bounded {
  receiveUnits: bigint
  minReceiveUnits: bigint
  slippage: bigint
  legs?: Legs
}

/** The part of a quote that is taken from its request. */
interface Charged {
  requestedUnits: bigint
  blockchainFeeUnits: bigint
  serviceFeeUnits: bigint
  refuelInSourceUnits: bigint
}

/** The slippage of a route with legs: the user's, up to what an exchange may be given. */
export function legSlippage(legs: readonly (LegPricing | undefined)[], slippage: bigint): bigint {
  return legs.reduce((least, leg) => (leg && leg.maxSlippage < least ? leg.maxSlippage : least), slippage)
}

/** A leg at this input; null if the pool does not give anything for it. Its minimum is set by `withBounds`. */
export function legQuote(pricing: LegPricing, sells: Token, buys: Token, inUnits: bigint): LegQuote | null {
  const { provider, curve, route } = pricing
  const outUnits = curve.out(inUnits)
  const impactBps = curve.impactBps(inUnits)
  if (!outUnits || impactBps === null) return null
  return { provider, network: sells.network, sells, buys, inUnits, outUnits, minUnits: outUnits, route, impactBps }
}

/**
 * Sets the minimum of each leg so that the recipient never gets less than `minReceiveUnits`. After a sale that brought
 * less than expected, the output is reduced in proportion. If a purchase follows, the sale may use only half of the
 * slippage: the other half is left for the purchase.
 */
export function withBounds<Quote extends Bounded>(quote: Quote): Quote {
  const { legs, receiveUnits, minReceiveUnits, slippage } = quote
  if (!legs) return quote
  const { sale, purchase } = legs
  const bound = sale && mulDiv(sale.outUnits, minReceiveUnits, receiveUnits, 'up')
  const half = sale && purchase ? mulDiv(sale.outUnits, ONE - slippage / 2n, ONE, 'up') : 0n
  return {
    ...quote,
    legs: {
      ...(sale && bound !== undefined && { sale: { ...sale, minUnits: bound > half ? bound : half } }),
      ...(purchase && { purchase: { ...purchase, minUnits: minReceiveUnits } }),
    },
  }
}

/**
 * The bounds of a sale that the depositor makes, whose expected output is the request of `quote`. With less than its
 * minimum the exchange reverts. With more, the recipient gets at least the quote's minimum: the output is reduced in
 * proportion, and a purchase keeps half of the slippage for itself.
 */
export function withUserExchange<Quote extends Bounded & Charged>(
  quote: Quote,
  sale: LegQuote,
  destination: Token,
): { quote: Quote; exchange: LegQuote } {
  const { requestedUnits, blockchainFeeUnits, serviceFeeUnits, refuelInSourceUnits, slippage, legs } = quote
  const left = requestedUnits - blockchainFeeUnits - serviceFeeUnits - refuelInSourceUnits
  const share = legs?.purchase ? slippage / 2n : slippage
  // The fees stay whole, or fall with the amount, so the rest may fall by the slippage.
  const minUnits = requestedUnits - (left - mulDiv(left, ONE - share, ONE, 'up'))
  // An output is rounded down to what can be transferred: a finer minimum could be missed by that.
  const minReceiveUnits = roundToTransferable(quote.minReceiveUnits, destination)
  return { quote: withBounds({ ...quote, minReceiveUnits }), exchange: { ...sale, minUnits } }
}

/** The most of an expected output that is paid on at the agreed price, if an exchange brought more. */
export function mostProceeds(expectedUnits: bigint): bigint {
  return mulDiv(expectedUnits, ALL_BPS + MAX_GAIN_BPS, ALL_BPS, 'down')
}

/** The same quote with at least this minimum: a new price never lowers what the user was promised. */
export function withLeast<Quote extends Bounded>(quote: Quote, minReceiveUnits: bigint): Quote {
  if (!quote.legs || minReceiveUnits <= quote.minReceiveUnits) return quote
  return withBounds({ ...quote, minReceiveUnits })
}

/** The quote's amounts and bounds with the routes of another quote: the best pool may be another one by now. */
export function withRoutesOf<Quote extends Bounded>(quote: Quote, other: Bounded): Quote {
  const { sale, purchase } = quote.legs ?? {}
  const [otherSale, otherPurchase] = [other.legs?.sale, other.legs?.purchase]
  if (!sale && !purchase) return quote
  return {
    ...quote,
    legs: {
      ...(sale && { sale: rerouted(sale, otherSale) }),
      ...(purchase && { purchase: rerouted(purchase, otherPurchase) }),
    },
  }
}

/** How much more than expected a sale may bring and still be paid on at the agreed price. */
const MAX_GAIN_BPS = 500n
const ALL_BPS = 10_000n

/**
 * The quote after its sale brought `units`: everything that follows the sale in proportion. The agreed price holds for a
 * limited gain only, or a pool that the user controls could multiply the amount. The rest of the proceeds is returned.
 */
export function withProceeds<Quote extends Bounded>(quote: Quote, units: bigint, destination: Token): Quote {
  const { sale, purchase } = quote.legs ?? {}
  if (!sale || sale.outUnits === 0n) return quote
  // A sale that is confirmed again after it was undone must not gain on top of the first gain.
  const expectedUnits = sale.expectedUnits ?? sale.outUnits
  const most = mostProceeds(expectedUnits)
  const outUnits = units < most ? units : most
  const inProportion = (value: bigint) => mulDiv(value, outUnits, sale.outUnits, 'down')
  return {
    ...quote,
    receiveUnits: roundToTransferable(inProportion(quote.receiveUnits), destination),
    legs: {
      sale: { ...sale, outUnits, expectedUnits },
      ...(purchase && {
        purchase: { ...purchase, inUnits: roundToTransferable(inProportion(purchase.inUnits), purchase.sells) },
      }),
    },
  }
}

function rerouted(leg: LegQuote, other: LegQuote | undefined): LegQuote {
  return other && other.sells.contract === leg.sells.contract && other.buys.contract === leg.buys.contract
    ? { ...leg, provider: other.provider, route: other.route }
    : leg
}

/** The price impact of all legs together. */
export function totalImpactBps({ sale, purchase }: Legs): bigint {
  return (sale?.impactBps ?? 0n) + (purchase?.impactBps ?? 0n)
}
