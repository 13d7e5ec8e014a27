/** Translates an order into the messages of one transaction and its signers. */
import { type Address, Bug, type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { denomOf, isDenom, isUnpayable } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import { type Message, sendMessage } from '../transaction.ts'
import type { SourceTerms } from './terms.ts'

/** A transaction's messages succeed or fail together; with more of them, one failure would affect too many others. */
export const MAX_TRANSFERS = 20
/** The chain accepts seven signatures by default, and the treasury's is one of them. */
export const MAX_SOURCES = 6

export function messagesOf(chain: CosmosChain, order: Order, sources: readonly SourceTerms[]): Message[] {
  const { settings, treasury } = chain
  refuseForeign(chain, order)
  // A cancellation sends one unit to ourselves: it uses the sequence and pays no recipient.
  if (order.kind === 'cancel') return [sendMessage(treasury, treasury, { denom: settings.denom, units: 1n })]
  if (order.kind === 'sweep') {
    const denom = denomOf(order.token, settings.denom)
    return sources.map(({ address, units }) => sendMessage(address, treasury, { denom, units }))
  }
  const transfers = order.kind === 'transfers' ? order.transfers : []
  return transfers.map(({ to, amount }) =>
    sendMessage(treasury, to, { denom: denomOf(amount.token, settings.denom), units: amount.units }),
  )
}

/** Coins that leave the treasury in addition to the fee, by denomination. */
export function spendingOf({ settings }: CosmosChain, order: Order): Map<string, bigint> {
  const needed = new Map<string, bigint>()
  const transfers = order.kind === 'transfers' ? order.transfers : []
  if (order.kind === 'cancel') needed.set(settings.denom, 1n)
  for (const { amount } of transfers) {
    const denom = denomOf(amount.token, settings.denom)
    needed.set(denom, (needed.get(denom) ?? 0n) + amount.units)
  }
  return needed
}

/** Throws for orders that no draft can make valid: of another wallet, network or token. */
function refuseForeign({ network, settings, treasury }: CosmosChain, order: Order): void {
  if (order.account !== treasury) throw new Bug('not our treasury', { account: order.account })
  if (order.kind === 'cancel') return
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  // A delisted token may still have to be refunded.
  const isOurs = (token: { network: string; contract: string | null }) =>
    token.network === network.name && isDenom(denomOf(token, settings.denom))
  if (order.kind === 'sweep') {
    const { sources, token } = order
    if (!isOurs(token)) throw new Bug('a token of another network', { token: token.symbol })
    if (sources.length === 0 || sources.length > MAX_SOURCES)
      throw new Bug(`a sweep takes 1 to ${MAX_SOURCES} addresses here`, { sources: sources.length })
    return
  }
  const { transfers, call } = order
  if (call !== undefined) throw new Bug('this family supports no calls', { network: network.name })
  if (transfers.length === 0 || transfers.length > MAX_TRANSFERS)
    throw new Bug(`an order has 1 to ${MAX_TRANSFERS} transfers here`, { transfers: transfers.length })
  for (const { to, amount } of transfers) {
    if (amount.units <= 0n) throw new Bug('a transfer needs an amount', { to, units: amount.units })
    if (!isOurs(amount.token)) throw new Bug('a token of another network', { token: amount.token.symbol })
  }
}

/**
 * Throws `PayoutImpossible` if a recipient would lose the money. It proves that nothing was sent, so it is not thrown
 * while an earlier attempt may be mined.
 */
export function refuseLosing({ settings }: CosmosChain, order: Order, wasSent: boolean): void {
  if (order.kind !== 'transfers') return
  const lost = order.transfers.find(({ to }) => isUnpayable(to) || !isOfNetwork(to, settings.prefix))
  if (!lost) return
  throw wasSent ? new RetryLater(`${lost.to} cannot be paid`) : new PayoutImpossible(`${lost.to} cannot be paid`)
}

function isOfNetwork(address: Address, prefix: string): boolean {
  return address.startsWith(`${prefix}1`)
}
