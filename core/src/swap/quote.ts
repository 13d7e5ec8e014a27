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
  /** The free balance of the destination token. */
  liquidityUnits: bigint
  /** Set if a refuel was requested and is offered. */
  refuel: { token: Token; units: bigint; usd: Usd } | null
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
  const receiveUnits = roundToTransferable(convert(pricing, left), pricing.destination)
  if (receiveUnits === 0n) return null
  return {
    requestedUnits,
    blockchainFeeUnits,
    serviceFeeUnits,
    refuelInSourceUnits,
    refuelUnits: pricing.refuel?.units ?? 0n,
    receiveUnits,
    minReceiveUnits: mulDiv(receiveUnits, ONE - slippage, ONE, 'down'),
    slippage,
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
  return { ...quote, requestedUnits, serviceFeeUnits, receiveUnits, minReceiveUnits }
}

/** True if paying the quote costs us at most `deviationBps` more than paying at the current price. */
export function isNear(quoted: Quote, today: Quote | null, deviationBps: bigint): boolean {
  return today !== null && quoted.receiveUnits * ALL_BPS <= today.receiveUnits * (ALL_BPS + deviationBps)
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
  return {
    minUnits: roundToDisplay(byValue > byRounding ? byValue : byRounding, source, 'up'),
    maxUnits: roundToDisplay(byOperator < byLiquidity ? byOperator : byLiquidity, source, 'down'),
  }
}

/** The liquidity for an output: a refuel in the same token is paid from the same wallet. */
export function deliverableUnits({ liquidityUnits, refuel, destination }: Pricing): bigint {
  const reserved = refuel && isSameToken(refuel.token, destination) ? refuel.units : 0n
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
  const oneDelivered = convertBack(pricing, transferableStep(pricing.destination), 'up')
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

function convertBack(pricing: Pricing, destinationUnits: bigint, rounding: Rounding): bigint {
  const numerator = pricing.destinationPrice * tenTo(pricing.source.decimals)
  return mulDiv(destinationUnits, numerator, pricing.sourcePrice * tenTo(pricing.destination.decimals), rounding)
}

function inSource(pricing: Pricing, usd: Usd): bigint {
  return roundToDisplay(fromUsd(usd, pricing.source, pricing.sourcePrice, 'up'), pricing.source, 'up')
}
