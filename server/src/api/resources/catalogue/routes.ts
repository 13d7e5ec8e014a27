/** GET /sources and /destinations: which tokens can be swapped into which now. Reads only memory. */
import { listedTokens, type Network, type Token } from '@causeway/core'
import { DestinationsQuery, envelope, RouteNetwork, SourcesQuery } from '@causeway/sdk'
import { z } from 'zod'
import { namedTokens, type ReachabilityOptions, statusOf } from '../../../offer/token-reachability.ts'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'
import { presentNetwork } from '../../present/network.ts'
import { type PresentationContext, presentationContextOf } from '../../present/presentation-context.ts'
import { presentClosedToken, presentRouteToken } from '../../present/route-token.ts'

const Networks = envelope(z.array(RouteNetwork))

export function routesRoutes(api: Api, services: Services): void {
  api.get('/sources', { schema: { querystring: SourcesQuery, response: { 200: Networks } } }, async (request) => {
    const { query } = request
    const others = namedTokens(services, query.destination_network, query.destination_token)
    // The refuel is paid on the destination network: the named one, if any.
    const network = query.destination_network === undefined ? undefined : others[0]?.network
    const receiver = (token: Token) => (network === undefined ? token : (others[0] ?? token))
    return { data: list(presentationContextOf(services, request), query, others, 'source', receiver) }
  })

  api.get(
    '/destinations',
    { schema: { querystring: DestinationsQuery, response: { 200: Networks } } },
    async (request) => {
      const { query } = request
      const others = namedTokens(services, query.source_network, query.source_token)
      return { data: list(presentationContextOf(services, request), query, others, 'destination', (token) => token) }
    },
  )
}

type Flags = Omit<z.infer<typeof SourcesQuery>, 'destination_network' | 'destination_token'>

function list(
  viewpoint: PresentationContext,
  flags: Flags,
  others: Token[],
  side: ReachabilityOptions['side'],
  receiver: (token: Token) => Token,
): RouteNetwork[] {
  const { services } = viewpoint
  const types = flags.network_types
  const options = {
    side,
    withProviders: flags.include_swaps,
    withProvidersByAddress: flags.include_swaps_via_deposit_address,
    byAddress: flags.has_deposit_address,
  }
  const isListed = (status: string) =>
    status === 'active' || flags.include_unmatched || (flags.include_unavailable && status === 'inactive')
  const shown = (network: Network) =>
    listedTokens(network).flatMap((token) => {
      const status = statusOf(services, token, others, options)
      return isListed(status) ? [presentRouteToken(viewpoint, token, status, receiver(token))] : []
    })
  const { networks, closed } = services.catalogue
  // No route uses a closed network.
  const shownClosed = (network: Network) =>
    isListed('inactive') ? listedTokens(network).map((token) => presentClosedToken(viewpoint, token)) : []
  return [
    ...networks.map((network) => ({ network, tokens: () => shown(network) })),
    ...closed.map((network) => ({ network, tokens: () => shownClosed(network) })),
  ]
    .filter(({ network: { type } }) => !types?.length || types.includes(type))
    .map(({ network, tokens }) => ({ ...presentNetwork(viewpoint, network), tokens: tokens() }))
    .filter(({ tokens }) => tokens.length > 0)
}
