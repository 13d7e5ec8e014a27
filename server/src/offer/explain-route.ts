/** Says why a route is offered or not, and what sets its limits. For operators: the reasons of pauses are included. */
import { findNetwork, findToken, formatDecimal, limitsFor, ONE, type Token, type Usd } from '@causeway/core'
import { depositMethods } from '../catalogue/chains.ts'
import { capped, outflowLeft, pausedRoute } from '../market/safeguards.ts'
import { exposable, exposureLeft, isFull, type OfferSources, priceRoute } from './quote-service.ts'

export interface RouteExplanation {
  isOffered: boolean
  /** Everything that closes the route; empty if it is offered. */
  obstacles: string[]
  /** Limits, price and liquidity of the route. */
  facts: string[]
}

/** `from` and `to`: NETWORK/TOKEN, with a symbol or a contract as token. */
export function explainRoute(sources: OfferSources, from: string, to: string): RouteExplanation {
  const ends = [from, to].map((text) => named(sources, text))
  const unknown = ends.filter((end) => typeof end === 'string')
  const [source, destination] = ends.filter((end) => typeof end !== 'string')
  if (!source || !destination) return { isOffered: false, obstacles: unknown, facts: [] }
  const obstacles = obstaclesOf(sources, source, destination)
  const facts = factsOf(sources, source, destination)
  if (obstacles.length === 0 && facts.limits === null)
    obstacles.push('no amount is both above the minimum and below the maximum')
  return { isOffered: obstacles.length === 0, obstacles, facts: facts.lines }
}

function named({ catalogue, chains }: OfferSources, text: string): Token | string {
  const [networkName = '', ...rest] = text.split('/')
  const network = findNetwork(catalogue.networks, networkName)
  const chain = network && chains.get(network.name)
  if (!network || !chain) return `there is no network ${networkName} with a file and a node`
  const token = findToken(network, rest.join('/'), chain)
  return token ?? `${network.name} has no token ${rest.join('/') || '(write NETWORK/TOKEN)'}`
}

function obstaclesOf(sources: OfferSources, source: Token, destination: Token): string[] {
  const { market, chains, catalogue, safeguards } = sources
  const rules = safeguards.current()
  const found: string[] = []
  if (source === destination) found.push('both sides are the same token')
  for (const token of [source, destination])
    if (token.unlisted) found.push(`${token.symbol} on ${token.network} is no longer listed`)
  if (found.length === 0 && !market.isRoute(source, destination)) found.push('ROUTES_FILE closes the route')
  const paused = pausedRoute(rules, source, destination)
  if (paused !== null) found.push(`paused: ${paused} (switch list)`)
  if (depositMethods(chains.get(source.network)).length === 0)
    found.push(`nothing can be paid in from ${source.network}`)
  for (const name of new Set([source.network, destination.network])) {
    const state = market.feesOf(name)
    if (state === 'unread')
      found.push(`fees and balances of ${name} were never read: does a process with ROLES=watch,work run?`)
    if (state === 'stale') found.push(`fees and balances of ${name} are older than 5 minutes: its nodes do not answer`)
  }
  const natives = [source, destination].map(({ network }) => catalogue.network(network).nativeToken)
  for (const symbol of new Set(
    [source, destination, ...natives]
      .filter((token) => market.price(token) === null)
      .map(({ group, symbol }) => group ?? symbol),
  ))
    found.push(`there is no price of ${symbol}`)
  if (isFull(sources, rules, source))
    found.push(`the wallet ceiling of ${source.symbol} on ${source.network} is reached (limit list)`)
  if (exposureLeft(sources, source) === 0n)
    found.push(`deposits of ${source.symbol} that are not paid out reach MAX_EXPOSURE_USD`)
  if (market.plans(source, destination).length === 0)
    found.push('a pool token is on the route, and no pool of it was read in this process lately')
  if (!destination.poolOnly && market.free(destination) === 0n)
    found.push(`the wallet of ${destination.network} has no free ${destination.symbol}`)
  if (outflowLeft(rules, destination) === 0n)
    found.push(`the outflow limit of ${destination.network} is used up (limit list)`)
  return found
}

function factsOf(sources: OfferSources, source: Token, destination: Token) {
  const { market, chains, safeguards } = sources
  const rules = safeguards.current()
  const useDepositAddress = !depositMethods(chains.get(source.network)).includes('wallet')
  const [open = null] = priceRoute(sources, { refuel: false, useDepositAddress }, source, destination)
  const pricing = open && exposable(sources, capped(rules, open))
  const limits = pricing && limitsFor(pricing)
  const isPossible = limits !== null && limits.minUnits <= limits.maxUnits
  const free = market.free(destination)
  const left = outflowLeft(rules, destination)
  const lines = [
    ...(limits ? [`minimum ${shown(limits.minUnits, source)}, maximum ${shown(limits.maxUnits, source)}`] : []),
    ...(pricing
      ? [
          `by settings from ${dollars(pricing.minUsd)} to ${dollars(pricing.maxUsd)}, network fee ${dollars(pricing.blockchainFeeUsd)}`,
        ]
      : []),
    ...(free === null ? [] : [`the wallet has ${shown(free, destination)} free`]),
    `may still be taken in: ${dollars(exposureLeft(sources, source))} of ${source.symbol}`,
    ...(left === null ? [] : [`may still be paid out: ${dollars(left)} of ${destination.symbol}`]),
  ]
  return { limits: isPossible ? limits : null, lines }
}

function shown(units: bigint, { decimals, symbol }: Token): string {
  return `${formatDecimal(units, decimals)} ${symbol}`
}

function dollars(usd: Usd): string {
  return `$${(Number((usd * 100n) / ONE) / 100).toFixed(2)}`
}
