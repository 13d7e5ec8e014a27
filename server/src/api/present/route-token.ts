/** A token in the lists of sources and destinations: with its status, and the refuel that a swap could carry. */
import type { Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import { presentNetwork, presentToken } from './network.ts'
import { human, humanUsd } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

/** Of a network that is closed: nothing leads to it or from it. */
export function presentClosedToken(viewpoint: PresentationContext, token: Token): wire.RouteToken {
  return { ...presentToken(viewpoint, token), status: 'inactive', refuel: null }
}

/** `receiver` is what the swap delivers: a refuel is offered beside a token, never beside the gas token itself. Clients test it for truth. */
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
