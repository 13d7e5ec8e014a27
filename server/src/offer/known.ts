/**
 * What is not known yet is not the same as what is not there: a service that has just started, or a price that is missing for
 * now, is worth asking again, and the answer says so (503, with `Retry-After`).
 */
import { ApiError, type Token } from '@causeway/core'
import type { Services } from '../services.ts'

/** Throws where a route that exists cannot be priced only because something about it is not known now. */
export function requireKnown(services: Services, source: Token, destination: Token): void {
  const { market, catalogue } = services
  if (!market.isRoute(source, destination)) return
  const [from, to] = [catalogue.network(source.network), catalogue.network(destination.network)]
  for (const { name } of [to, from]) if (!market.hasFees(name)) throw starting(name)
  for (const token of [source, destination, from.nativeToken, to.nativeToken]) {
    if (market.price(token) !== null) continue
    throw new ApiError(
      'PRICE_UNAVAILABLE',
      `There is no price of ${token.symbol} at this moment. Try again in a moment.`,
    )
  }
}

export function starting(network: string): ApiError {
  return new ApiError('SERVICE_STARTING', `The service has not read ${network} yet. Try again in a moment.`)
}
