/** Sources and destinations: which tokens can be swapped into which, and the calls that list them. */
import { z } from 'zod'
import { Network, NetworkTypes, Token } from './network.ts'
import { Refuel } from './quote.ts'
import { Flag, NetworkName, TokenName } from './values.ts'

export const RouteToken = Token.extend({
  status: z
    .enum(['active', 'inactive', 'not_found'])
    .describe('active: a swap can be made now. inactive: the route cannot be served now. not_found: there is no route'),
  refuel: Refuel.nullable().describe('The size of a refuel on the destination network; null if none is offered'),
})
export type RouteToken = z.infer<typeof RouteToken>

export const RouteNetwork = Network.extend({ tokens: z.array(RouteToken) })
export type RouteNetwork = z.infer<typeof RouteNetwork>

const RouteFlags = z.object({
  network_types: NetworkTypes,
  include_swaps: Flag.describe('Includes pairs that need a swap provider'),
  include_unavailable: Flag.describe('Includes tokens whose route cannot be served now, as inactive'),
  include_unmatched: Flag.describe('Includes tokens that cannot be reached, as inactive or not_found'),
  has_deposit_address: Flag.describe('Lists only tokens that can be paid to a deposit address'),
  include_swaps_via_deposit_address: Flag.describe('Includes pairs that need a swap provider and a deposit address'),
})

/** GET /sources */
export const SourcesQuery = RouteFlags.extend({
  destination_network: NetworkName.optional(),
  destination_token: TokenName.optional(),
})
export type SourcesQuery = z.infer<typeof SourcesQuery>

/** GET /destinations */
export const DestinationsQuery = RouteFlags.extend({
  source_network: NetworkName.optional(),
  source_token: TokenName.optional(),
})
export type DestinationsQuery = z.infer<typeof DestinationsQuery>
