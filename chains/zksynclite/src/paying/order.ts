/** Translates an order into one transfer: to a recipient, or of zero to ourselves if it only uses its nonce. */
import { type Address, Bug, type Order, PayoutImpossible } from '@causeway/core'
import { isUnpayable } from '../address.ts'
import type { ZkSyncChain } from '../chain.ts'
import { AMOUNT, packable } from '../packing.ts'

export interface Payment {
  to: Address
  /** The sent amount: the most of the order that can be packed. */
  amount: bigint
  /** The ordered amount. */
  ordered: bigint
}

export function paymentOf({ network, treasury }: ZkSyncChain, order: Order): Payment {
  if (order.account !== treasury) throw new Bug('the account is not the treasury', { account: order.account })
  if (order.kind === 'cancel') return { to: treasury, amount: 0n, ordered: 0n }
  if (order.kind === 'sweep') throw new Bug('there are no deposit addresses here')
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  const [transfer, ...more] = order.transfers
  if (order.call !== undefined || !transfer) throw new Bug('nothing that can be sent here')
  if (more.length > 0) throw new PayoutImpossible('one transaction makes one transfer here')
  const { to, amount } = transfer
  if (amount.token.network !== network.name || amount.token.contract !== null) {
    throw new Bug('a token that is not sent here', { token: amount.token.symbol, network: amount.token.network })
  }
  if (amount.units <= 0n) throw new Bug('a transfer of nothing', { to, units: amount.units })
  return { to, amount: packable(amount.units, AMOUNT, 'down'), ordered: amount.units }
}

export function refuseLosing({ to }: Payment): void {
  if (isUnpayable(to)) throw new PayoutImpossible(`${to} cannot be paid`)
}
