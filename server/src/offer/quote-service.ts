/**
 * The offer for a route: the two tokens, today's pricing, the limits, and a quote for an amount. Reads
 * only memory. An `ApiError` says why a route is not offered.
 */
import {
  ApiError,
  type ChainAdapter,
  findNetwork,
  findToken,
  formatDecimal,
  fromUsd,
  type Limits,
  limitsFor,
  maxByDepth,
  ONE,
  type Pricing,
  paidToken,
  paidUnits,
  parseDecimal,
  parseNoisyDecimal,
  type Quote,
  quoteFor,
  quoteTermMs,
  roundToDisplay,
  type Token,
  toUsd,
  type Usd,
} from '@causeway/core'
import { offersAddresses } from '../catalogue/chains.ts'
import type { EarningTerms } from '../market/campaigns.ts'
import { capped, exposureLimit, limitOn, outflowLeft, pausedRoute, type Rules } from '../market/safeguards.ts'
import type { Services } from '../services.ts'
import { createMicroCache, MOMENT_MS } from './micro-cache.ts'
import { requireListed } from './route-errors.ts'

export interface RouteRequest {
  sourceNetwork: string
  sourceToken: string
  destinationNetwork: string
  destinationToken: string
  refuel: boolean
  useDepositAddress: boolean
  useDepository: boolean
  useGasless: boolean
  /** Gas units that the recipient's own code uses, if known and not included in every payout. */
  effort?: bigint
}

/** The parts of the service that an offer is computed from. */
export type OfferSources = Pick<Services, 'config' | 'catalogue' | 'chains' | 'market' | 'safeguards'>

export interface Offer {
  sourceChain: ChainAdapter
  destinationChain: ChainAdapter
  /** The pricing of the first plan: prices and refuel are the same in all of them. */
  pricing: Pricing
  /** The ways to serve the route: our own wallets alone, or over swap providers. The best one is chosen per amount. */
  plans: readonly { pricing: Pricing; limits: Limits }[]
  /** From the least to the most of all plans. */
  limits: Limits
  completionMs: number
  /** How long a quote is valid. */
  termMs: number
  /** The remaining outflow limit of the destination token; null if unlimited. */
  outflowLeftUsd: Usd | null
  /** The swap provider on the route; null if we pay from our own wallets. */
  provider: string | null
}

/** The inputs of a campaign reward. */
export function earningTerms({ pricing }: Offer, quote: Quote, address: string | null): EarningTerms {
  const { source, sourcePrice, destination } = pricing
  return { source, sourcePrice, serviceFeeUnits: quote.serviceFeeUnits, destination, address }
}

/** The default slippage: one percent. */
const DEFAULT_SLIPPAGE = ONE / 100n
/** Open quotes count up to this part of the exposure limit. */
const QUOTED_SHARE = 5n
const SLIPPAGE_DECIMALS = 18
/** The maximum slippage: 50 %. Other APIs use percent, so 0.5 could be meant as half a percent. */
const MAX_SLIPPAGE = ONE / 2n
/** The slippage from which the quote carries a warning: 5 %. */
export const HIGH_SLIPPAGE = ONE / 20n

const memories = new WeakMap<Services, ReturnType<typeof offerMemory<Offer>>>()

/** A cache for anything derived from an offer. A pause or a limit that an operator sets applies at once. */
export function offerMemory<Made>({ config, safeguards }: Services) {
  return createMicroCache<Made>(Math.min(config.answerCacheMs, MOMENT_MS), safeguards.current)
}

/** The current offer, cached for a moment because many clients ask for the same few routes. */
export function offerFor(services: Services, request: RouteRequest): Offer {
  const known = memories.get(services) ?? offerMemory<Offer>(services)
  memories.set(services, known)
  const { sourceNetwork, sourceToken, destinationNetwork, destinationToken } = request
  const { refuel, useDepositAddress, useDepository, useGasless, effort = 0n } = request
  const flags = `${refuel} ${useDepositAddress} ${useDepository} ${useGasless} ${effort}`
  const key = JSON.stringify([sourceNetwork, sourceToken, destinationNetwork, destinationToken, flags])
  return known.get(key, () => makeOffer(services, request))
}

/**
 * For quotes: on a network where a transfer cannot name its swap, a deposit address is the only way to pay, so a quote
 * without a funding flag means that one. Creating a swap needs the flag, because its deposit action differs.
 */
export function impliedFunding(services: Services, request: RouteRequest): RouteRequest {
  if (request.useDepositAddress || request.useDepository || request.useGasless) return request
  const network = findNetwork(services.catalogue.networks, request.sourceNetwork)
  const chain = network && services.chains.get(network.name)
  return chain && !chain.references && offersAddresses(chain) ? { ...request, useDepositAddress: true } : request
}

function makeOffer(services: Services, request: RouteRequest): Offer {
  const [sourceChain, source] = resolve(services, request.sourceNetwork, request.sourceToken)
  const [destinationChain, destination] = resolve(services, request.destinationNetwork, request.destinationToken)
  checkFunding(request, sourceChain, source)
  const rules = services.safeguards.current()
  // The reason stays private: it may name a customer, a leak or a node.
  if (pausedRoute(rules, source, destination) !== null) {
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', 'This route is paused.')
  }
  if (isFull(services, rules, source) || exposureLeft(services, source) === 0n)
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', `No more ${source.symbol} is taken on ${source.network} now.`)
  const open = priceRoute(services, request, source, destination)
  const plans = open
    .map((one) => exposable(services, capped(rules, one)))
    .map((pricing) => ({ pricing, limits: limitsFor(pricing) }))
    .filter(({ limits }) => limits.minUnits <= limits.maxUnits)
  const [first] = plans
  if (!first) {
    if (open.length === 0) requireListed(services, source, destination)
    const names = `${source.symbol} on ${source.network} to ${destination.symbol} on ${destination.network}`
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no route from ${names} at this moment.`)
  }
  return {
    outflowLeftUsd: outflowLeft(rules, paidToken(first.pricing).token),
    sourceChain,
    destinationChain,
    pricing: first.pricing,
    plans,
    limits: {
      minUnits: plans.reduce(
        (least, { limits }) => (limits.minUnits < least ? limits.minUnits : least),
        first.limits.minUnits,
      ),
      maxUnits: plans.reduce(
        (most, { limits }) => (limits.maxUnits > most ? limits.maxUnits : most),
        first.limits.maxUnits,
      ),
    },
    completionMs: services.market.completionMs(source, destination),
    termMs: quoteTermMs(source, destination, sourceChain.network, {
      dollars: services.config.dollarGroups,
      termMs: services.config.quoteTtlMs ?? null,
    }),
    provider: services.market.provider(source, destination),
  }
}

/** The quote of the plan that delivers the most. */
export function quoteAmount(offer: Offer, requestedUnits: bigint, slippage: bigint): Quote {
  const { limits, outflowLeftUsd } = offer
  const { source, sourcePrice } = offer.pricing
  if (requestedUnits > limits.maxUnits) throw tooMuch(offer, requestedUnits)
  const best = bestQuote(offer, requestedUnits, slippage)
  if (!best) throw outside('LESS_THAN_MIN_ERROR', 'below the minimum', source, requestedUnits, limits.minUnits)
  const { quote, pricing } = best
  const paid = paidToken(pricing)
  if (outflowLeftUsd !== null && toUsd(paidUnits(quote), paid.token, paid.price, 'up') > outflowLeftUsd) {
    const available = formatDecimal(
      roundToDisplay(fromUsd(outflowLeftUsd, source, sourcePrice, 'down'), source, 'down'),
      source.decimals,
    )
    const message = `Only about ${available} ${source.symbol} can be swapped this way for now.`
    const metadata = { AvailableTransactionAmount: Number(available) }
    throw new ApiError('NETWORK_CURRENCY_DAILY_LIMIT_REACHED', message, metadata)
  }
  return quote
}

function bestQuote({ plans }: Offer, units: bigint, slippage: bigint): { quote: Quote; pricing: Pricing } | null {
  let best: { quote: Quote; pricing: Pricing } | null = null
  for (const { pricing, limits } of plans) {
    if (units < limits.minUnits || units > limits.maxUnits) continue
    const quote = quoteFor(pricing, units, slippage)
    if (quote && (!best || quote.receiveUnits > best.quote.receiveUnits)) best = { quote, pricing }
  }
  return best
}

/** Above the maximum, because of a limit or because the pools of providers are not deep enough. */
function tooMuch({ plans, pricing, limits }: Offer, units: bigint): ApiError {
  const isTooDeep = plans.every((plan) => {
    const depth = maxByDepth(plan.pricing)
    return depth !== null && units > depth
  })
  if (!isTooDeep) return outside('GREATER_THAN_MAX_ERROR', 'above the maximum', pricing.source, units, limits.maxUnits)
  const { symbol, decimals } = pricing.source
  const most = formatDecimal(limits.maxUnits, decimals)
  const message = `${formatDecimal(units, decimals)} ${symbol} would move the price of the exchange too far. At most ${most} ${symbol} can be swapped now.`
  return new ApiError('PRICE_IMPACT_TOO_HIGH', message, { AmountLimit: Number(most) })
}

/** True if the hot wallet holds as much of a token as the operator allows. */
export function isFull({ market }: Pick<OfferSources, 'market'>, rules: Rules, source: Token): boolean {
  const ceiling = limitOn(rules, 'wallet_ceiling', source)
  const balance = market.balance(source)
  const price = market.price(source)
  if (ceiling === null || !balance || price === null) return false
  return toUsd(balance.units, source, price, 'down') >= ceiling
}

/**
 * How much more of a token may be taken in. Deposits that are not paid out yet are exposed to its price. Open quotes count
 * by their chance of use, up to a fifth of the limit: creating swaps must not close a route for others.
 */
export function exposureLeft({ config, safeguards }: Pick<OfferSources, 'config' | 'safeguards'>, source: Token): Usd {
  const most = exposureLimit(config)
  const mostQuoted = most / QUOTED_SHARE
  const quoted = safeguards.quoted(source)
  const exposed = safeguards.exposed(source) + (quoted < mostQuoted ? quoted : mostQuoted)
  return exposed < most ? most - exposed : 0n
}

export function exposable(services: Pick<OfferSources, 'config' | 'safeguards'>, pricing: Pricing): Pricing {
  const left = exposureLeft(services, pricing.source)
  return left < pricing.maxUsd ? { ...pricing, maxUsd: left } : pricing
}

/**
 * Parses a decimal amount, possibly computed with doubles, to base units. Digits beyond the shown ones are cut off: the
 * deposit action names the amount in whole tokens and in base units, and both must be the same.
 */
export function parseAmount(text: string, token: Token): bigint {
  const units = parseNoisyDecimal(text, token.decimals)
  if (units !== null) return roundToDisplay(units, token, 'down')
  const message = `must be a decimal number with at most ${token.decimals} decimals`
  throw new ApiError('VALIDATION_ERROR', `amount ${message}, not ${text}.`, { amount: message })
}

export function parseSlippage(text: string | null): bigint {
  if (text === null) return DEFAULT_SLIPPAGE
  const slippage = parseDecimal(text, SLIPPAGE_DECIMALS)
  if (slippage !== null && slippage <= MAX_SLIPPAGE) return slippage
  const message = 'must be a fraction from 0 to 0.5: 0.005 is half a percent, 0.5 is 50 percent'
  throw new ApiError('VALIDATION_ERROR', `slippage ${message}, not ${text}.`, { slippage: message })
}

function resolve(services: Services, networkName: string, tokenName: string): [ChainAdapter, Token] {
  const network = findNetwork(services.catalogue.networks, networkName)
  const chain = network && services.chains.get(network.name)
  if (!chain) throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no network ${networkName}.`)
  const token = findToken(chain.network, tokenName, chain)
  if (!token || token.unlisted)
    throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no token ${tokenName} on ${chain.network.name}.`)
  return [chain, token]
}

function checkFunding(
  { useDepositAddress, useDepository, useGasless }: RouteRequest,
  source: ChainAdapter,
  token: Token,
): void {
  const { name } = source.network
  if (useDepositAddress && (useDepository || useGasless)) {
    const other = useDepository ? 'use_depository' : 'use_gasless'
    throw new ApiError('CONFLICTING_FUNDING_METHODS', `use_deposit_address and ${other} exclude each other.`)
  }
  if (useDepository && !source.depository?.accepts(token)) {
    throw new ApiError('UNSUPPORTED_DEPOSITORY', `There is no Depository for ${token.symbol} on ${name}.`)
  }
  if (useGasless && !source.gasless?.supports(token)) {
    const message = `is not offered for ${token.symbol} on ${name}`
    throw new ApiError('VALIDATION_ERROR', `use_gasless ${message}.`, { use_gasless: message })
  }
  if (useDepositAddress && !offersAddresses(source)) {
    throw new ApiError('QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS', `${name} has no deposit addresses.`)
  }
  if (!source.references && !useDepositAddress && !useDepository && !useGasless) {
    if (!offersAddresses(source))
      throw new ApiError('ROUTE_NOT_FOUND_ERROR', `Nothing can be paid in from ${name} now.`)
    const message = `must be true: a transfer on ${name} cannot name its swap`
    throw new ApiError('VALIDATION_ERROR', `use_deposit_address ${message}.`, { use_deposit_address: message })
  }
}

/** The pricing of a route, one per plan. Includes a refuel if the wallet can pay it; without it the route is still offered. */
export function priceRoute(
  { market, catalogue }: Pick<OfferSources, 'market' | 'catalogue'>,
  {
    refuel,
    useDepositAddress: usesDepositAddress,
    useGasless: usesGasless = false,
    effort = 0n,
  }: Pick<RouteRequest, 'refuel' | 'useDepositAddress'> & Partial<Pick<RouteRequest, 'useGasless' | 'effort'>>,
  source: Token,
  destination: Token,
): Pricing[] {
  return market.plans(source, destination).flatMap((plan) => {
    const free = market.free(plan.purchase?.hub ?? destination)
    if (free === null) return []
    const route = { source, destination, usesDepositAddress, usesGasless, effort, plan }
    const wanted = refuel && market.pricing({ ...route, refuel }, free)
    const spare = market.free(catalogue.network(destination.network).nativeToken)
    if (wanted && (!wanted.refuel || (spare !== null && spare >= wanted.refuel.units))) return wanted
    return market.pricing({ ...route, refuel: false }, free) ?? []
  })
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
