/**
 * What the service offers for a route that a caller names: the two tokens, today's pricing, the limits, and a quote for
 * an amount. Everything is read from memory. What cannot be offered is told as an `ApiError`.
 */
import {
  ApiError,
  type ChainAdapter,
  findNetwork,
  findToken,
  formatDecimal,
  type Limits,
  limitsFor,
  ONE,
  type Pricing,
  parseDecimal,
  type Quote,
  quoteFor,
  type Token,
} from '@causeway/core'
import type { Services } from './services.ts'

export interface RouteRequest {
  sourceNetwork: string
  sourceToken: string
  destinationNetwork: string
  destinationToken: string
  refuel: boolean
  useDepositAddress: boolean
  useDepository: boolean
  useGasless: boolean
}

export interface Offer {
  sourceChain: ChainAdapter
  destinationChain: ChainAdapter
  pricing: Pricing
  limits: Limits
  completionMs: number
}

/** One percent. */
const DEFAULT_SLIPPAGE = ONE / 100n
const SLIPPAGE_DECIMALS = 18

export function offerFor(services: Services, request: RouteRequest): Offer {
  const [sourceChain, source] = resolve(services, request.sourceNetwork, request.sourceToken)
  const [destinationChain, destination] = resolve(services, request.destinationNetwork, request.destinationToken)
  checkFunding(request, sourceChain)
  const pricing = price(services, request, source, destination)
  const limits = pricing && limitsFor(pricing)
  if (!limits || limits.minUnits > limits.maxUnits) {
    const names = `${source.symbol} on ${source.network} to ${destination.symbol} on ${destination.network}`
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no route from ${names} at this moment.`)
  }
  return {
    sourceChain,
    destinationChain,
    pricing,
    limits,
    completionMs: services.market.completionMs(source, destination),
  }
}

export function quoteAmount({ pricing, limits }: Offer, requestedUnits: bigint, slippage: bigint): Quote {
  const quote = requestedUnits < limits.minUnits ? null : quoteFor(pricing, requestedUnits, slippage)
  if (!quote) throw outside('LESS_THAN_MIN_ERROR', 'below the minimum', pricing.source, requestedUnits, limits.minUnits)
  if (requestedUnits > limits.maxUnits) {
    throw outside('GREATER_THAN_MAX_ERROR', 'above the maximum', pricing.source, requestedUnits, limits.maxUnits)
  }
  return quote
}

/** A plain decimal, as the caller wrote it, in base units. */
export function parseAmount(text: string, token: Token): bigint {
  const units = parseDecimal(text, token.decimals)
  if (units !== null) return units
  const message = `must be a decimal number with at most ${token.decimals} decimals`
  throw new ApiError('VALIDATION_ERROR', `amount ${message}, not ${text}.`, { amount: message })
}

export function parseSlippage(text: string | null): bigint {
  if (text === null) return DEFAULT_SLIPPAGE
  const slippage = parseDecimal(text, SLIPPAGE_DECIMALS)
  if (slippage !== null && slippage <= ONE) return slippage
  const message = 'must be a fraction from 0 to 1'
  throw new ApiError('VALIDATION_ERROR', `slippage ${message}, not ${text}.`, { slippage: message })
}

function resolve(services: Services, networkName: string, tokenName: string): [ChainAdapter, Token] {
  const network = findNetwork(services.catalogue.networks, networkName)
  const chain = network && services.chains.get(network.name)
  if (!chain) throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no network ${networkName}.`)
  const token = findToken(chain.network, tokenName, chain)
  if (!token) throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no token ${tokenName} on ${chain.network.name}.`)
  return [chain, token]
}

function checkFunding({ useDepositAddress, useDepository, useGasless }: RouteRequest, source: ChainAdapter): void {
  const { name } = source.network
  if (useDepositAddress && (useDepository || useGasless)) {
    const other = useDepository ? 'use_depository' : 'use_gasless'
    throw new ApiError('CONFLICTING_FUNDING_METHODS', `use_deposit_address and ${other} exclude each other.`)
  }
  if (useDepository) throw new ApiError('UNSUPPORTED_DEPOSITORY', `There is no Depository on ${name}.`)
  if (useGasless) {
    const message = `is not offered on ${name}`
    throw new ApiError('VALIDATION_ERROR', `use_gasless ${message}.`, { use_gasless: message })
  }
  if (useDepositAddress && !source.depositAddresses) {
    throw new ApiError('QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS', `${name} has no deposit addresses.`)
  }
}

/** A refuel is offered where the wallet can spare it; without it the route still stands. */
function price(
  { market, catalogue }: Services,
  { refuel, useDepositAddress: usesDepositAddress }: RouteRequest,
  source: Token,
  destination: Token,
): Pricing | null {
  const free = market.free(destination)
  if (free === null) return null
  const wanted = refuel && market.pricing({ source, destination, usesDepositAddress, refuel }, free)
  const spare = market.free(catalogue.network(destination.network).nativeToken)
  if (wanted && (!wanted.refuel || (spare !== null && spare >= wanted.refuel.units))) return wanted
  return market.pricing({ source, destination, usesDepositAddress, refuel: false }, free)
}

function outside(
  code: 'LESS_THAN_MIN_ERROR' | 'GREATER_THAN_MAX_ERROR',
  words: string,
  { decimals, symbol }: Token,
  units: bigint,
  limit: bigint,
): ApiError {
  const shown = formatDecimal(limit, decimals)
  const message = `${formatDecimal(units, decimals)} ${symbol} is ${words} of ${shown} ${symbol}.`
  return new ApiError(code, message, { AmountLimit: Number(shown) })
}
