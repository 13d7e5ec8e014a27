/**
 * Separates temporary gaps from missing routes. If the service has just started, a network's nodes do not answer or a
 * price is missing, the client should retry: the answer is 503 with `Retry-After`.
 */
import { ApiError, type Token } from '@causeway/core'
import type { Services } from '../services.ts'

/** Throws if an existing route cannot be priced only because something about it is temporarily unknown. */
export function requireListed(services: Services, source: Token, destination: Token): void {
  const { market, catalogue } = services
  if (!market.isRoute(source, destination)) return
  const [from, to] = [catalogue.network(source.network), catalogue.network(destination.network)]
  for (const { name } of [to, from]) {
    const fees = market.feesOf(name)
    if (fees !== 'known') throw fees === 'unread' ? starting(name) : outOfReach(name)
  }
  // Balances are read together with the fees, but another process may have stored them from a list without this token.
  if (market.free(destination) === null) throw outOfReach(to.name)
  for (const token of [source, destination, from.nativeToken, to.nativeToken]) {
    if (market.price(token) !== null) continue
    throw new ApiError(
      'PRICE_UNAVAILABLE',
      `There is no price of ${token.symbol} at this moment. Try again in a moment.`,
    )
  }
}

function outOfReach(network: string): ApiError {
  return new ApiError('SERVICE_STARTING', `${network} could not be read lately. Try again in a moment.`)
}

/** The error of a process with a wrong clock: quotes and windows would end at the wrong time. */
export function clockIsWrong(): ApiError {
  return new ApiError('SERVICE_STARTING', 'The service is checking its clock. Try again in a moment.')
}

/** The error after a database rollback, until an operator has run `restore`. */
export function stopped(): ApiError {
  return new ApiError('SERVICE_STARTING', 'The service is being restored. Try again later.')
}

/** Until a signing process has compared the database with the journal, and given this process a branch of addresses. */
export function unconfirmed(): ApiError {
  return new ApiError('SERVICE_STARTING', 'The service waits for its signing process. Try again in a moment.')
}

export function starting(network: string): ApiError {
  return new ApiError('SERVICE_STARTING', `The service has not read ${network} yet. Try again in a moment.`)
}
