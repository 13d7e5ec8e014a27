/**
 * Which tokens can be swapped into which at this moment, for the lists of sources and destinations. A token is active
 * where a swap of it could be made now: its route has a price, and the wallet has something to pay with.
 */
import { ApiError, findNetwork, findToken, limitsFor, listedTokens, type Token } from '@causeway/core'
import { depositMethods } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { priceRoute } from './quote-service.ts'

/** `inactive`: a route that cannot be served now. `not_found`: there is no route. */
export type TokenStatus = 'active' | 'inactive' | 'not_found'

export interface ReachabilityOptions {
  /** Which side of the route the listed tokens are on. */
  side: 'source' | 'destination'
  /** Pairs that need a swap provider count too. */
  withProviders: boolean
  /** Pairs that need a swap provider count where they are paid into a deposit address. */
  withProvidersByAddress: boolean
  /** Only routes count that can be paid into a deposit address. */
  byAddress: boolean
}

/** What stands at the other end: the tokens that the caller named, or all of them. */
export function namedTokens(services: Services, network: string | undefined, token: string | undefined): Token[] {
  const { catalogue, chains } = services
  const named = network === undefined ? null : findNetwork(catalogue.networks, network)
  if (network !== undefined && !named) throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no network ${network}.`)
  const places = named ? [named] : catalogue.networks
  if (token === undefined) return places.flatMap(listedTokens)
  const found = places.flatMap((place) => {
    const chain = chains.get(place.name)
    const named = chain && findToken(place, token, chain)
    return named && !named.unlisted ? named : []
  })
  if (found.length > 0) return found
  const where = named ? ` on ${named.name}` : ''
  throw new ApiError('ROUTE_NOT_FOUND_ERROR', `There is no token ${token}${where}.`)
}

/** The best that any of the tokens at the other end gives. */
export function statusOf(
  services: Services,
  token: Token,
  others: readonly Token[],
  options: ReachabilityOptions,
): TokenStatus {
  let best: TokenStatus = 'not_found'
  for (const other of others) {
    const [source, destination] = options.side === 'source' ? [token, other] : [other, token]
    const status = routeStatus(services, source, destination, options)
    if (status === 'active') return status
    if (status === 'inactive') best = status
  }
  return best
}

function routeStatus(services: Services, source: Token, destination: Token, options: ReachabilityOptions): TokenStatus {
  const { market, chains } = services
  if (!market.isRoute(source, destination)) return 'not_found'
  const methods = depositMethods(chains.get(source.network))
  if (methods.length === 0) return 'not_found'
  const hasAddresses = methods.includes('deposit_address')
  if (options.byAddress && !hasAddresses) return 'not_found'
  if (market.provider(source, destination) !== null) {
    const isWanted = (options.withProviders && !options.byAddress) || (options.withProvidersByAddress && hasAddresses)
    if (!isWanted) return 'not_found'
  }
  const useDepositAddress = options.byAddress || !methods.includes('wallet')
  const pricing = priceRoute(services, { refuel: false, useDepositAddress }, source, destination)
  const limits = pricing && limitsFor(pricing)
  return limits && limits.minUnits <= limits.maxUnits ? 'active' : 'inactive'
}
