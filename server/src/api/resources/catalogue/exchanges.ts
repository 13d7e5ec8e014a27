/** GET /source_exchanges and /exchange_withdrawal_networks: the operator's list, or `[]`. */
import { ApiError, listedTokens, type Token } from '@causeway/core'
import { Exchange, envelope, Withdrawal, WithdrawalNetworksQuery } from '@causeway/sdk'
import { z } from 'zod'
import { offersAddresses } from '../../../catalogue/chains.ts'
import { findExchange } from '../../../catalogue/exchanges.ts'
import { offerFor } from '../../../offer/quote-service.ts'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'
import { presentExchange } from '../../present/exchange.ts'
import { presentNetwork, presentToken } from '../../present/network.ts'
import { humanUsd } from '../../present/numbers.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'
import { inSource } from '../../present/tiers.ts'

export function exchangesRoutes(api: Api, services: Services): void {
  api.get('/source_exchanges', { schema: { response: { 200: envelope(z.array(Exchange)) } } }, async (request) => {
    const viewpoint = presentationContextOf(services, request)
    return { data: services.exchanges.map((exchange) => presentExchange(viewpoint, exchange)) }
  })

  api.get(
    '/exchange_withdrawal_networks',
    { schema: { querystring: WithdrawalNetworksQuery, response: { 200: envelope(z.array(Withdrawal)) } } },
    async (request) => {
      const { exchange, source_exchange: name = exchange, ...into } = request.query
      const exchanges = name === undefined ? services.exchanges : [findExchange(services.exchanges, name) ?? []].flat()
      const isPaid = ({ network, symbol }: Token) =>
        exchanges.some(({ withdrawals }) => withdrawals[network]?.includes(symbol))
      const viewpoint = presentationContextOf(services, request)
      const withdrawals = services.catalogue.networks.flatMap((network) =>
        listedTokens(network)
          .filter(isPaid)
          .flatMap((token) => {
            const cost = costInto(services, token, into.destination_network, into.destination_token)
            return cost ? [{ network, token, ...cost }] : []
          }),
      )
      return {
        data: withdrawals.sort(nearestFirst).map(({ network, token, fee }) => ({
          network: presentNetwork(viewpoint, network),
          token: presentToken(viewpoint, token),
          fee,
        })),
      }
    },
  )
}

interface Cost {
  fee: Withdrawal['fee']
  /**
   * Whether the withdrawn token is of the same group as the destination, so that the typed amount is the withdrawn
   * amount.
   */
  isSame: boolean
}

/** Sorts withdrawals: the same token group first, then the cheapest. Clients take the first. */
function nearestFirst(one: Cost, other: Cost): number {
  return Number(other.isSame) - Number(one.isSame) || one.fee.total_fee_in_usd - other.fee.total_fee_in_usd
}

/**
 * The cost of swapping a withdrawal into the wanted token; null if it cannot be swapped now. An exchange pays to a
 * deposit address if the network has them.
 */
function costInto(services: Services, source: Token, network?: string, token?: string): Cost | null {
  if (network === undefined || token === undefined) return { fee: { total_fee: 0, total_fee_in_usd: 0 }, isSame: false }
  try {
    const { pricing } = offerFor(services, {
      ...{ sourceNetwork: source.network, sourceToken: source.contract ?? source.symbol },
      ...{ destinationNetwork: network, destinationToken: token },
      ...{ refuel: false, useDepository: false, useGasless: false },
      useDepositAddress: offersAddresses(services.chains.get(source.network)),
    })
    const fixed = pricing.blockchainFeeUsd + pricing.serviceFeeUsd
    const [from, to] = [source, pricing.destination].map(({ group, symbol }) => group ?? symbol)
    return { fee: { total_fee: inSource(pricing, fixed), total_fee_in_usd: humanUsd(fixed) }, isSame: from === to }
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
