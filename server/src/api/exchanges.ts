/** GET /source_exchanges and /exchange_withdrawal_networks: what the operator lists, and `[]` where that is nothing. */
import { listedTokens } from '@causeway/core'
import { Exchange, envelope, ListedNetwork, WithdrawalNetworksQuery } from '@causeway/sdk'
import { z } from 'zod'
import { findExchange } from '../catalogue/exchanges.ts'
import type { Services } from '../services.ts'
import { presentExchange } from './present/exchange.ts'
import { presentNetwork, presentToken } from './present/network.ts'
import { viewpointOf } from './present/viewpoint.ts'
import type { Api } from './schema.ts'

export function exchangesRoutes(api: Api, services: Services): void {
  api.get('/source_exchanges', { schema: { response: { 200: envelope(z.array(Exchange)) } } }, async (request) => {
    const viewpoint = viewpointOf(services, request)
    return { data: services.exchanges.map((exchange) => presentExchange(viewpoint, exchange)) }
  })

  api.get(
    '/exchange_withdrawal_networks',
    { schema: { querystring: WithdrawalNetworksQuery, response: { 200: envelope(z.array(ListedNetwork)) } } },
    async (request) => {
      const { exchange: name } = request.query
      const exchanges = name === undefined ? services.exchanges : [findExchange(services.exchanges, name) ?? []].flat()
      const viewpoint = viewpointOf(services, request)
      const isPaid = (network: string, symbol: string) =>
        exchanges.some(({ withdrawals }) => withdrawals[network]?.includes(symbol))
      return {
        data: services.catalogue.networks
          .map((network) => ({
            ...presentNetwork(viewpoint, network),
            tokens: listedTokens(network)
              .filter(({ symbol }) => isPaid(network.name, symbol))
              .map((token) => presentToken(viewpoint, token)),
          }))
          .filter(({ tokens }) => tokens.length > 0),
      }
    },
  )
}
