/** GET /networks: every network and its tokens, including closed networks. */
import { envelope, ListedNetwork, NetworksQuery } from '@causeway/sdk'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'
import { presentListedNetwork } from '../../present/network.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'

export function networksRoutes(api: Api, services: Services): void {
  api.get(
    '/networks',
    { schema: { querystring: NetworksQuery, response: { 200: envelope(z.array(ListedNetwork)) } } },
    async (request) => {
      const { network_types: types } = request.query
      const viewpoint = presentationContextOf(services, request)
      const { networks, closed } = services.catalogue
      const wanted = [...networks, ...closed].filter(({ type }) => !types?.length || types.includes(type))
      return { data: wanted.map((network) => presentListedNetwork(viewpoint, network)) }
    },
  )
}
