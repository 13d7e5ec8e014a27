/** Translates an order into one or more transfers out of the treasury, in one message. There are no sweeps. */
import { type Address, Bug, type Order, PayoutImpossible, RetryLater, type Transfer } from '@causeway/core'
import { isLosing } from '../address.ts'
import type { TonChain } from '../chain.ts'

/** A transaction makes at most 255 messages; the contract itself needs one of them. */
export const MAX_TRANSFERS = 254

export function transfersOf({ network, treasury }: TonChain, order: Order): Transfer[] {
  if (order.account !== treasury.address) throw new Bug('not our treasury', { account: order.account })
  if (order.kind === 'sweep') throw new Bug('this family has no deposit addresses to sweep', { network: network.name })
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  // A cancellation has no transfer: the message to itself uses the query id like any other.
  if (order.kind === 'cancel') return []
  const { transfers } = order
  if (transfers.length === 0 || transfers.length > MAX_TRANSFERS) {
    throw new Bug(`an order has 1 to ${MAX_TRANSFERS} transfers here`, { transfers: transfers.length })
  }
  for (const { to, amount } of transfers) {
    if (amount.units <= 0n) throw new Bug('a transfer needs an amount', { to, units: amount.units })
    if (amount.token.network !== network.name) throw new Bug('a token of another network', { ...amount.token })
  }
  return transfers
}

/**
 * Throws `PayoutImpossible` if a recipient would lose the money. It proves that nothing was sent, so it is not thrown
 * while an earlier attempt may be mined.
 */
export function refuseLosing(chain: TonChain, transfers: readonly Transfer[], wasSent: boolean): void {
  const lost = transfers.find(({ to }) => isUnpayable(chain, to))
  if (!lost) return
  throw wasSent ? new RetryLater(`${lost.to} cannot be paid`) : new PayoutImpossible(`${lost.to} cannot be paid`)
}

export function isUnpayable({ network }: Pick<TonChain, 'network'>, address: Address): boolean {
  return isLosing(address) || network.tokens.some(({ contract }) => contract === address)
}

/**
 * Throws if jettons are batched. Coins of one message leave together or not at all, and do not return. Jettons pass
 * through separate contracts, each of which may fail. So they are paid one by one, and a payout is never half made.
 */
export function refuseMixed(transfers: readonly Transfer[], wasSent: boolean): void {
  if (transfers.length < 2 || transfers.every(({ amount }) => amount.token.contract === null)) return
  const reason = 'a jetton is paid in a message of its own'
  throw wasSent ? new RetryLater(reason) : new PayoutImpossible(reason)
}
