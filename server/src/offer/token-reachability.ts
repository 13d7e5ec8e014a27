/**
 * Which tokens can be swapped into which now, for the lists of sources and destinations. A token is active if a swap of
 * it could be created now: its route has a price, and the wallet has liquidity.
 */
import { ApiError, findNetwork, findToken, limitsFor, listedTokens, type Token } from '@causeway/core'
import { depositMethods } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { priceRoute } from './quote-service.ts'

/** `inactive`: the route exists but cannot be served now. `not_found`: no such route. */
export type TokenStatus = 'active' | 'inactive' | 'not_found'

export interface ReachabilityOptions {
  /** The side of the route that the listed tokens are on. */
  side: 'source' | 'destination'
  /** Whether pairs that need a swap provider are included. */
  withProviders: boolean
  /** Whether such pairs are included if they can be paid to a deposit address. */
  withProvidersByAddress: boolean
  /** Only routes that can be paid to a deposit address. */
  byAddress: boolean
}

/** The tokens on the other side of the route: those that the caller named, or all. */
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

/** The best status over all tokens on the other side. */
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
  const pricings = priceRoute(services, { refuel: false, useDepositAddress }, source, destination)
  const isServed = pricings.map(limitsFor).some(({ minUnits, maxUnits }) => minUnits <= maxUnits)
  return isServed ? 'active' : 'inactive'
}
