/**
 * The price of a swap: its fees and its output. All arithmetic is exact: fees are rounded up to the shown digits, the
 * output is rounded down to what can be transferred, and the difference is exactly the fees.
 */
import { Bug } from '../money/errors.ts'
import {
  displayStep,
  fromUsd,
  isSameToken,
  mulDiv,
  ONE,
  type Rounding,
  roundToDisplay,
  roundToTransferable,
  tenTo,
  transferableStep,
  type Usd,
} from '../money/money.ts'
import type { Token } from '../money/network.ts'
import { type LegPricing, type Legs, legQuote, legSlippage, withBounds } from './legs.ts'

/** Everything a quote depends on, read from memory at one moment. */
export interface Pricing {
  source: Token
  destination: Token
  sourcePrice: Usd
  destinationPrice: Usd
  /** The networks' charges for this swap: payout, sweep, refuel transfer. */
  blockchainFeeUsd: Usd
  serviceFeeBps: bigint
  serviceFeeUsd: Usd
  /** The operator's bounds for the route. */
  minUsd: Usd
  maxUsd: Usd
  /** The free balance of the token that we pay: the destination token, or the hub token of a purchase. */
  liquidityUnits: bigint
  /** Set if a refuel was requested and is offered. */
  refuel: { token: Token; units: bigint; usd: Usd } | null
  /** The exchange of the deposited token for a hub token that we hold. The source price is then the pool's. */
  sale?: LegPricing
  /** The exchange of a hub token for the destination token. The destination price is then the pool's. */
  purchase?: LegPricing
}

export interface Quote {
  requestedUnits: bigint
  /** The network fee, in the source token. */
  blockchainFeeUnits: bigint
  serviceFeeUnits: bigint
  refuelInSourceUnits: bigint
  /** The refuel in its own token; zero without a refuel. */
  refuelUnits: bigint
  /** The output, in the destination token. */
  receiveUnits: bigint
  minReceiveUnits: bigint
  /** The accepted slippage, as a fraction of ONE. */
  slippage: bigint
  /** The exchanges on the way; absent if we pay the destination token from our own wallet for the deposited one. */
  legs?: Legs
}

export interface Limits {
  minUnits: bigint
  maxUnits: bigint
}

/** A swap must be worth a multiple of its fixed fees, or it would be mostly fee. */
const MIN_FIXED_FEE_MULTIPLE = 2n
const ALL_BPS = 10_000n

export function totalFee(quote: Quote): bigint {
  return quote.blockchainFeeUnits + quote.serviceFeeUnits
}

/**
 * Computes a quote. Null if the fees use up the whole amount. The network fee is the current one unless an agreed one
 * is passed.
 */
export function quoteFor(
  pricing: Pricing,
  requestedUnits: bigint,
  slippage: bigint,
  blockchainFeeUnits: bigint = inSource(pricing, pricing.blockchainFeeUsd),
): Quote | null {
  if (slippage < 0n || slippage > ONE) throw new Bug('slippage is a fraction', { slippage })
  const serviceFeeUnits = serviceFee(pricing, requestedUnits)
  const refuelInSourceUnits = pricing.refuel ? inSource(pricing, pricing.refuel.usd) : 0n
  const left = requestedUnits - blockchainFeeUnits - serviceFeeUnits - refuelInSourceUnits
  if (left <= 0n) return null
  const refuelUnits = pricing.refuel?.units ?? 0n
  const charged = { requestedUnits, blockchainFeeUnits, serviceFeeUnits, refuelInSourceUnits, refuelUnits }
  if (pricing.sale || pricing.purchase) return quoteWithLegs(pricing, charged, left, slippage)
  const receiveUnits = roundToTransferable(convert(pricing, left), pricing.destination)
  if (receiveUnits === 0n) return null
  return {
    ...charged,
    receiveUnits,
    minReceiveUnits: mulDiv(receiveUnits, ONE - slippage, ONE, 'down'),
    slippage,
  }
}

/**
 * A quote over swap providers. A sale exchanges the whole deposit, and the fees are taken from what it brings, in
 * proportion. A purchase spends the rest, in a hub token.
 */
function quoteWithLegs(
  pricing: Pricing,
  charged: Omit<Quote, 'receiveUnits' | 'minReceiveUnits' | 'slippage'>,
  left: bigint,
  asked: bigint,
): Quote | null {
  const { source, destination, sale, purchase } = pricing
  const { requestedUnits } = charged
  const sold = sale && legQuote(sale, source, sale.hub, requestedUnits)
  if (sold === null) return null
  const taken = sale && sold ? mulDiv(sold.outUnits, left, requestedUnits, 'down') : left
  const from = sale ? { token: sale.hub, price: sale.hubPrice } : { token: source, price: pricing.sourcePrice }
  const { token, price } = paidToken(pricing)
  const converted = mulDiv(taken, from.price * tenTo(token.decimals), price * tenTo(from.token.decimals), 'down')
  const paid = roundToTransferable(converted, token)
  if (paid === 0n) return null
  const bought = purchase && legQuote(purchase, purchase.hub, destination, paid)
  if (bought === null) return null
  const slippage = legSlippage([sale, purchase], asked)
  const receiveUnits = bought ? bought.outUnits : paid
  return withBounds({
    ...charged,
    receiveUnits,
    minReceiveUnits: roundToTransferable(mulDiv(receiveUnits, ONE - slippage, ONE, 'down'), destination),
    slippage,
    legs: { ...(sold && { sale: sold }), ...(bought && { purchase: bought }) },
  })
}

/** The token that our wallet pays, and its price: the hub token of a purchase, or else the destination token. */
export function paidToken({ purchase, destination, destinationPrice }: Pricing): { token: Token; price: Usd } {
  return purchase ? { token: purchase.hub, price: purchase.hubPrice } : { token: destination, price: destinationPrice }
}

/** What our wallet pays for a quote, in units of `paidToken`. */
export function paidUnits(quote: Quote): bigint {
  return quote.legs?.purchase?.inUnits ?? quote.receiveUnits
}

/**
 * The quote in units of the token that an output is paid for with: after a sale its proceeds, of which every fee takes
 * its share, and otherwise the deposited token.
 */
export function takenFor(quote: Quote, source: Token): { token: Token; quote: Quote } {
  const { requestedUnits, blockchainFeeUnits, serviceFeeUnits, refuelInSourceUnits, legs } = quote
  const { sale } = legs ?? {}
  if (!sale) return { token: source, quote }
  const share = (units: bigint) => mulDiv(units, sale.outUnits, requestedUnits, 'down')
  return {
    token: sale.buys,
    quote: {
      ...quote,
      requestedUnits: sale.outUnits,
      blockchainFeeUnits: share(blockchainFeeUnits),
      serviceFeeUnits: share(serviceFeeUnits),
      refuelInSourceUnits: share(refuelInSourceUnits),
    },
  }
}

/**
 * The same price for another amount. The quoted network fee and refuel stay the same, the service fee is recomputed for
 * the new amount, and the rest is converted at the quoted rate. Null if nothing would be left.
 */
export function resized(quote: Quote, requestedUnits: bigint, pricing: Pricing): Quote | null {
  if (requestedUnits === quote.requestedUnits) return quote
  const serviceFeeUnits = serviceFee(pricing, requestedUnits)
  const fixed = quote.blockchainFeeUnits + quote.refuelInSourceUnits
  const left = requestedUnits - fixed - serviceFeeUnits
  if (left <= 0n) return null
  const quotedLeft = quote.requestedUnits - fixed - quote.serviceFeeUnits
  const receiveUnits = roundToTransferable(mulDiv(quote.receiveUnits, left, quotedLeft, 'down'), pricing.destination)
  if (receiveUnits === 0n) return null
  const minReceiveUnits = mulDiv(receiveUnits, ONE - quote.slippage, ONE, 'down')
  const plain = { ...quote, requestedUnits, serviceFeeUnits, receiveUnits, minReceiveUnits }
  return quote.legs ? resizedLegs(quote, plain, { left, quotedLeft, pricing }) : plain
}

/** The legs in proportion to the amounts. A pool gives a smaller amount a better price, so this promises no more. */
function resizedLegs(
  quote: Quote,
  plain: Quote,
  { left, quotedLeft, pricing }: { left: bigint; quotedLeft: bigint; pricing: Pricing },
): Quote | null {
  const { sale, purchase } = quote.legs ?? {}
  const inUnits = purchase ? mulDiv(purchase.inUnits, left, quotedLeft, 'down') : 0n
  const sold = sale ? mulDiv(sale.outUnits, plain.requestedUnits, quote.requestedUnits, 'down') : 0n
  if ((purchase && inUnits === 0n) || (sale && sold === 0n)) return null
  const minReceiveUnits = roundToTransferable(plain.minReceiveUnits, pricing.destination)
  return withBounds({
    ...plain,
    minReceiveUnits,
    legs: {
      ...(sale && { sale: { ...sale, inUnits: plain.requestedUnits, outUnits: sold } }),
      ...(purchase && { purchase: { ...purchase, inUnits, outUnits: plain.receiveUnits } }),
    },
  })
}

/** True if paying the quote costs us at most `deviationBps` more than paying at the current price. */
export function isNear(quoted: Quote, today: Quote | null, deviationBps: bigint): boolean {
  if (today === null) return false
  if (!quoted.legs) return quoted.receiveUnits * ALL_BPS <= today.receiveUnits * (ALL_BPS + deviationBps)
  // With legs a pool's price is the user's risk, bounded by the minimum. Ours is the price between the tokens that we
  // take and pay.
  const [taken, takenToday] = [quoted.legs.sale?.outUnits ?? 1n, today.legs?.sale?.outUnits ?? 1n]
  return paidUnits(quoted) * takenToday * ALL_BPS <= paidUnits(today) * taken * (ALL_BPS + deviationBps)
}

function serviceFee(pricing: Pricing, units: bigint): bigint {
  const { source, sourcePrice } = pricing
  const share = mulDiv(units, pricing.serviceFeeBps, ALL_BPS, 'up')
  return roundToDisplay(share + fromUsd(pricing.serviceFeeUsd, source, sourcePrice, 'up'), source, 'up')
}

/**
 * The amounts that can be swapped now. Every amount inside has a quote that the liquidity covers. If min > max, no
 * amount fits.
 */
export function limitsFor(pricing: Pricing): Limits {
  const { source, sourcePrice } = pricing
  const fixedUsd = pricing.blockchainFeeUsd + pricing.serviceFeeUsd + (pricing.refuel?.usd ?? 0n)
  const byFees = MIN_FIXED_FEE_MULTIPLE * fixedUsd
  const minUsd = byFees > pricing.minUsd ? byFees : pricing.minUsd
  const byValue = fromUsd(minUsd, source, sourcePrice, 'up')
  const byRounding = minByRounding(pricing)
  const byOperator = maxByOperator(pricing)
  const byLiquidity =
    convertBack(pricing, deliverableUnits(pricing), 'down') + fromUsd(fixedUsd, source, sourcePrice, 'down')
  const byWallet = byOperator < byLiquidity ? byOperator : byLiquidity
  const byDepth = maxByDepth(pricing)
  return {
    minUnits: roundToDisplay(byValue > byRounding ? byValue : byRounding, source, 'up'),
    maxUnits: roundToDisplay(byDepth !== null && byDepth < byWallet ? byDepth : byWallet, source, 'down'),
  }
}

/** The largest amount whose price impact is within the bound of each leg; null without legs. */
export function maxByDepth(pricing: Pricing): bigint | null {
  const { sale, purchase } = pricing
  const bySale = sale?.curve.maxIn(sale.maxImpactBps)
  const byPurchase = purchase && convertBack(pricing, purchase.curve.maxIn(purchase.maxImpactBps), 'down')
  if (bySale === undefined) return byPurchase ?? null
  return byPurchase === undefined || bySale < byPurchase ? bySale : byPurchase
}

/** The liquidity for an output: a refuel in the same token is paid from the same wallet. */
export function deliverableUnits(pricing: Pricing): bigint {
  const { liquidityUnits, refuel } = pricing
  const reserved = refuel && isSameToken(refuel.token, paidToken(pricing).token) ? refuel.units : 0n
  return liquidityUnits > reserved ? liquidityUnits - reserved : 0n
}

/**
 * The minimum because of rounding: fees are rounded up to shown digits, and from this amount on the output is at least
 * one transferable step.
 */
function minByRounding(pricing: Pricing): bigint {
  const { source, sourcePrice, serviceFeeBps } = pricing
  if (serviceFeeBps >= ALL_BPS) throw new Bug('the service fee takes everything', { serviceFeeBps })
  const fixed =
    inSource(pricing, pricing.blockchainFeeUsd) +
    fromUsd(pricing.serviceFeeUsd, source, sourcePrice, 'up') +
    (pricing.refuel ? inSource(pricing, pricing.refuel.usd) : 0n)
  const oneDelivered = convertBack(pricing, transferableStep(paidToken(pricing).token), 'up')
  return mulDiv(fixed + displayStep(source) + oneDelivered, ALL_BPS, ALL_BPS - serviceFeeBps, 'up')
}

/** The operator's maximum per swap, regardless of the wallet balance. */
export function maxByOperator(pricing: Pricing): bigint {
  return fromUsd(pricing.maxUsd, pricing.source, pricing.sourcePrice, 'down')
}

/** The price of one whole source token in whole destination tokens, as a fraction of ONE. */
export function rateOf(pricing: Pricing): bigint {
  return mulDiv(pricing.sourcePrice, ONE, pricing.destinationPrice, 'down')
}

/** Converts source units at the route's rate, rounded down. */
export function convert(pricing: Pricing, sourceUnits: bigint): bigint {
  const numerator = pricing.sourcePrice * tenTo(pricing.destination.decimals)
  return mulDiv(sourceUnits, numerator, pricing.destinationPrice * tenTo(pricing.source.decimals), 'down')
}

/** Converts units of the token that we pay to source units, rounded as asked. */
function convertBack(pricing: Pricing, units: bigint, rounding: Rounding): bigint {
  const { token, price } = paidToken(pricing)
  const numerator = price * tenTo(pricing.source.decimals)
  return mulDiv(units, numerator, pricing.sourcePrice * tenTo(token.decimals), rounding)
}

function inSource(pricing: Pricing, usd: Usd): bigint {
  return roundToDisplay(fromUsd(usd, pricing.source, pricing.sourcePrice, 'up'), pricing.source, 'up')
}
