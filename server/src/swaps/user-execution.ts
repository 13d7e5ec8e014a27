/**
 * `force_user_execution`: the depositor's own transaction makes the exchange on the source network, and its output, a hub
 * token, goes straight to the swap's deposit address. For everything that follows the swap is one from the hub token.
 */
import {
  ApiError,
  type DepositAction,
  type LegQuote,
  mostProceeds,
  type Quote,
  RetryLater,
  tokenKey,
  withUserExchange,
} from '@causeway/core'
import { chainOf, offersAddresses } from '../catalogue/chains.ts'
import { type Offer, offerFor, parseAmount, quoteAmount } from '../offer/quote-service.ts'
import type { Services } from '../services.ts'
import type { SwapView } from '../store/swaps/swap-read.ts'
import type { SwapRequest } from './request.ts'

export interface UserExecution {
  /** The request for a swap from the hub token, at a deposit address of its own. */
  request: SwapRequest
  /** The offer for that swap. With the gas that the recipient's own code uses, if any. */
  offer(effort: bigint): Offer
  slippage: bigint
  quote(offer: Offer): Quote
  /** The bounds of the exchange that pays for this quote. */
  bound(quote: Quote): { quote: Quote; exchange: LegQuote }
}

/**
 * Null if there is nothing for the depositor to exchange, or the family or the hub token's route cannot do it: then the
 * service exchanges the deposit itself, if the route needs that.
 */
export function userExecution(
  services: Services,
  request: SwapRequest,
  asked: Offer,
  slippage: bigint,
): UserExecution | null {
  const { forceUserExecution = false, amount, useDepositAddress, useDepository } = request
  const { exchanges } = asked.sourceChain
  if (!forceUserExecution || amount === null || useDepositAddress || useDepository) return null
  if (!exchanges || !offersAddresses(asked.sourceChain)) return null
  const wanted = quoteAmount(asked, parseAmount(amount, asked.pricing.source), slippage)
  const sale = wanted.legs?.sale
  if (!sale) return null
  const fromHub: SwapRequest = {
    ...request,
    ...{ sourceToken: tokenKey(sale.buys), useDepositAddress: true, useNewDepositAddress: true },
  }
  const execution: UserExecution = {
    request: fromHub,
    // The service does not exchange the hub token a second time.
    offer: (effort) => withoutSales(offerFor(services, { ...fromHub, effort })),
    slippage: wanted.slippage,
    quote: (offer) => quoteAmount(offer, sale.outUnits, wanted.slippage),
    bound: (quote) => withUserExchange(quote, sale, asked.pricing.destination),
  }
  try {
    execution.quote(execution.offer(0n))
    return execution
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

function withoutSales(offer: Offer): Offer {
  return { ...offer, plans: offer.plans.filter(({ pricing }) => !pricing.sale) }
}

/**
 * The transactions that the depositor sends. Empty once money arrived, so that no depositor exchanges twice, and after
 * the quote's term: the exchange would fail then. A little that a third party sends does not take them away.
 */
export function userActions(services: Services, { swap, receiver, deposits }: SwapView): DepositAction[] {
  const { userExchange: exchange, source, quoteExpiresAt: deadline } = swap
  if (!exchange || swap.status !== 'user_transfer_pending' || deadline <= services.now()) return []
  const came = deposits.reduce((sum, { state, units }) => (state === 'gone' ? sum : sum + units), 0n)
  if (came + exchange.outUnits > mostProceeds(exchange.outUnits)) return []
  const { exchanges } = chainOf(services.chains, source.network)
  const { provider, network, sells: token, buys, inUnits: units, minUnits, route } = exchange
  const order = { provider, network, sells: { token, units }, buys, minUnits, to: receiver, deadline, route }
  if (!exchanges || exchanges.objectionTo(order)) throw new RetryLater('the exchange is not listed any more')
  return exchanges.depositActions(order)
}
