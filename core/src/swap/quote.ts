/**
 * What a swap costs and delivers. All arithmetic is exact: fees are rounded up to the digits people are shown, the
 * delivered amount is rounded down to what can be sent, and what is not delivered is exactly the fees.
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
  /** What the networks charge us for this swap: payout, sweep, refuel transfer. */
  blockchainFeeUsd: Usd
  serviceFeeBps: bigint
  serviceFeeUsd: Usd
  /** Bounds the operator set for the route. */
  minUsd: Usd
  maxUsd: Usd
  /** What of the destination token is free to be promised. */
  liquidityUnits: bigint
  /** Present where the refuel was asked for and is offered. */
  refuel: { token: Token; units: bigint; usd: Usd } | null
}

export interface Quote {
  requestedUnits: bigint
  /** In the source token. */
  blockchainFeeUnits: bigint
  serviceFeeUnits: bigint
  refuelInSourceUnits: bigint
  /** In the refuel's own token; zero where there is none. */
  refuelUnits: bigint
  /** In the destination token. */
  receiveUnits: bigint
  minReceiveUnits: bigint
  /** A fraction of ONE. */
  slippage: bigint
}

export interface Limits {
  minUnits: bigint
  maxUnits: bigint
}

/** A swap must be worth a few times its fixed fees, or it would be mostly fee. */
const MIN_FIXED_FEE_MULTIPLE = 2n
const ALL_BPS = 10_000n

export function totalFee(quote: Quote): bigint {
  return quote.blockchainFeeUnits + quote.serviceFeeUnits
}

/** Null where the fees eat the whole amount. The networks' fee is today's, unless it was agreed on before. */
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
 * The same price for another amount: the networks' fee and the refuel stay whole as they were quoted, the service fee is
 * that of what came, and the rest is exchanged at the quoted rate. Null where nothing would be left.
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

/** Whether paying as quoted costs us at most so much more than paying at today's price. */
export function isNear(quoted: Quote, today: Quote | null, deviationBps: bigint): boolean {
  return today !== null && quoted.receiveUnits * ALL_BPS <= today.receiveUnits * (ALL_BPS + deviationBps)
}

function serviceFee(pricing: Pricing, units: bigint): bigint {
  const { source, sourcePrice } = pricing
  const share = mulDiv(units, pricing.serviceFeeBps, ALL_BPS, 'up')
  return roundToDisplay(share + fromUsd(pricing.serviceFeeUsd, source, sourcePrice, 'up'), source, 'up')
}

/** Any amount inside has a quote, and that quote needs no more than the liquidity. No amount fits where min > max. */
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

/** What may be promised as an output: a refuel in the same token comes out of the same wallet. */
export function deliverableUnits({ liquidityUnits, refuel, destination }: Pricing): bigint {
  const reserved = refuel && isSameToken(refuel.token, destination) ? refuel.units : 0n
  return liquidityUnits > reserved ? liquidityUnits - reserved : 0n
}

/** Fees are rounded up to whole digits: from here on, at least what can be sent at all is delivered whatever the rounding takes. */
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

/** The most the operator lets through in one swap, whatever the wallet holds. */
export function maxByOperator(pricing: Pricing): bigint {
  return fromUsd(pricing.maxUsd, pricing.source, pricing.sourcePrice, 'down')
}

/** Destination units of one whole source token, as a fraction of ONE of a whole destination token. */
export function rateOf(pricing: Pricing): bigint {
  return mulDiv(pricing.sourcePrice, ONE, pricing.destinationPrice, 'down')
}

/** Source units at the route's rate, rounded down. */
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
