/**
 * The value of a promise to a user: the arithmetic of quotes implemented a second time, from `docs/rules.md`
 * ("Amounts") and not from the code that it checks.
 */
import type { Token } from '@causeway/core'
import type { Services } from '../../../server/src/services.ts'

/** One dollar, and one as a fraction. */
const ONE = 10n ** 18n
const BPS = 10_000n

/** The market as a process knew it at a moment. */
export interface Facts {
  sourcePrice: bigint
  destinationPrice: bigint
  /** The network fees of the swap. */
  networkFeeUsd: bigint
  refuelUnits: bigint
  refuelUsd: bigint
}

export interface Terms {
  number: number
  id: string
  source: Token
  destination: Token
  /** The native token of the destination's network, if a refuel was promised. */
  refuel: Token | null
  /** Null if any amount is accepted. */
  requestedUnits: bigint | null
  destinationAddress: string
  sourceAddress: string | null
  refundAddress: string | null
  usesDepositAddress: boolean
  receiver: string
  slippage: bigint
  /** At the time of the quote; null if there was none. */
  facts: Facts | null
}

export interface Worth {
  networkFeeUnits: bigint
  serviceFeeUnits: bigint
  refuelInSourceUnits: bigint
  refuelUnits: bigint
  receiveUnits: bigint
  minReceiveUnits: bigint
}

type Fees = Pick<Services['config'], 'serviceFeeBps' | 'serviceFeeUsd'>

/** The value of this amount under these terms and facts; null if the fees exceed it. */
export function worthOf(
  terms: Terms,
  facts: Facts,
  fees: Fees,
  units: bigint,
  agreedNetworkFee: bigint | null = null,
): Worth | null {
  const { source, destination } = terms
  const inSource = (usd: bigint) => onGrid(ceil(usd * 10n ** BigInt(source.decimals), facts.sourcePrice), source)
  const share = ceil(units * BigInt(fees.serviceFeeBps), BPS)
  const fixed = BigInt(Math.round(fees.serviceFeeUsd * 1e6)) * 10n ** 12n
  const networkFeeUnits = agreedNetworkFee ?? inSource(facts.networkFeeUsd)
  const serviceFeeUnits = onGrid(share + ceil(fixed * 10n ** BigInt(source.decimals), facts.sourcePrice), source)
  const refuelInSourceUnits = terms.refuel ? inSource(facts.refuelUsd) : 0n
  const left = units - networkFeeUnits - serviceFeeUnits - refuelInSourceUnits
  if (left <= 0n) return null
  const receiveUnits =
    (left * facts.sourcePrice * 10n ** BigInt(destination.decimals)) /
    (facts.destinationPrice * 10n ** BigInt(source.decimals))
  if (receiveUnits === 0n) return null
  return {
    networkFeeUnits,
    serviceFeeUnits,
    refuelInSourceUnits,
    refuelUnits: terms.refuel ? facts.refuelUnits : 0n,
    receiveUnits,
    minReceiveUnits: (receiveUnits * (ONE - terms.slippage)) / ONE,
  }
}

/** The same promise for a slightly smaller sum: the fees stay whole, the rest shrinks in proportion. */
export function shortenedBy(worth: Worth, requested: bigint, missing: bigint): bigint {
  const left = requested - worth.networkFeeUnits - worth.serviceFeeUnits - worth.refuelInSourceUnits
  return missing >= left ? 0n : (worth.receiveUnits * (left - missing)) / left
}

/**
 * The same promise for another sum: the network fee and the refuel stay as quoted, the service fee is computed on the
 * deposit.
 */
export function resizedTo(terms: Terms, fees: Fees, units: bigint): Worth | null {
  const { facts, requestedUnits: asked, slippage } = terms
  const quoted = facts && asked !== null ? worthOf(terms, facts, fees, asked) : null
  const then = facts && worthOf(terms, facts, fees, units)
  if (!quoted || !then || asked === null || units === asked) return quoted
  const fixed = quoted.networkFeeUnits + quoted.refuelInSourceUnits
  const left = units - fixed - then.serviceFeeUnits
  const receiveUnits = (quoted.receiveUnits * left) / (asked - fixed - quoted.serviceFeeUnits)
  if (receiveUnits <= 0n) return null
  const minReceiveUnits = (receiveUnits * (ONE - slippage)) / ONE
  return { ...quoted, serviceFeeUnits: then.serviceFeeUnits, receiveUnits, minReceiveUnits }
}

/** The market as a process knows it now; null if it cannot price the route. */
export function factsOf(
  { market }: Pick<Services, 'market'>,
  {
    source,
    destination,
    refuel,
    usesDepositAddress,
  }: Pick<Terms, 'source' | 'destination' | 'usesDepositAddress'> & {
    refuel: unknown
  },
): Facts | null {
  const route = { source, destination, usesDepositAddress, usesGasless: false, refuel: refuel !== null }
  const pricing = market.pricing(route, 0n)
  if (!pricing) return null
  return {
    sourcePrice: pricing.sourcePrice,
    destinationPrice: pricing.destinationPrice,
    networkFeeUsd: pricing.blockchainFeeUsd,
    refuelUnits: pricing.refuel?.units ?? 0n,
    refuelUsd: pricing.refuel?.usd ?? 0n,
  }
}

export function usdOf(token: Token, units: bigint, price: bigint): bigint {
  return (units * price) / 10n ** BigInt(token.decimals)
}

function ceil(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}

/** Fees are rounded up to the shown digits. */
function onGrid(units: bigint, { decimals, precision }: Token): bigint {
  const step = 10n ** BigInt(Math.max(0, decimals - precision))
  return ceil(units, step) * step
}
