/** A token in the lists of sources and destinations: its status, and the refuel that a swap could carry. */
import type { Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import { presentNetwork, presentToken } from './network.ts'
import { human, humanUsd } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

/** A token of a closed network, which no route uses. */
export function presentClosedToken(viewpoint: PresentationContext, token: Token): wire.RouteToken {
  return { ...presentToken(viewpoint, token), status: 'inactive', refuel: null }
}

/**
 * A token in a list. `receiver`: the token that the swap delivers. A refuel comes with a token, never with the gas
 * token itself. Clients test `refuel` for truthiness.
 */
export function presentRouteToken(
  viewpoint: PresentationContext,
  token: Token,
  status: wire.RouteToken['status'],
  receiver: Token,
): wire.RouteToken {
  const { catalogue, market } = viewpoint.services
  const network = catalogue.network(receiver.network)
  const offered = receiver.contract === null ? null : market.refuel(network)
  const refuel = offered &&
    offered.units > 0n && {
      token: presentToken(viewpoint, network.nativeToken),
      network: presentNetwork(viewpoint, network),
      amount: human(offered.units, offered.token),
      amount_in_usd: humanUsd(offered.usd),
    }
  return { ...presentToken(viewpoint, token), status, refuel: refuel || null }
}
