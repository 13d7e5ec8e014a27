/** Translates an order into one transfer: to a recipient, or of zero to ourselves if it only uses its nonce. */
import { type Address, Bug, type Order, PayoutImpossible, type Token } from '@causeway/core'
import { isUnpayable } from '../address.ts'
import { assetId, quantumOf } from '../asset.ts'
import type { StarkExChain } from '../chain.ts'

export interface Payment {
  to: Address
  token: Token
  /** The ordered amount in base units. */
  ordered: bigint
  quanta: bigint
  /** The asset; null if the order does not name one: for a zero amount any asset works, and the vault decides. */
  asset: bigint | null
}

export function paymentOf(chain: StarkExChain, order: Order): Payment {
  const { network, keys } = chain
  if (order.account !== keys.address) throw new Bug('the account is not the treasury', { account: order.account })
  if (order.kind === 'sweep') throw new Bug('there are no deposit addresses here')
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  if (order.kind === 'cancel') {
    return { to: keys.address, token: network.nativeToken, ordered: 0n, quanta: 0n, asset: null }
  }
  const [transfer, ...more] = order.transfers
  if (order.call !== undefined || !transfer) throw new Bug('nothing that can be sent here')
  if (more.length > 0) throw new PayoutImpossible('one message makes one transfer here')
  const { to, amount } = transfer
  const { token, units } = amount
  if (token.network !== network.name) throw new Bug('a token of another network', { token: token.symbol })
  if (units <= 0n) throw new Bug('a transfer of nothing', { to, units })
  return worded(chain, to, token, units)
}

/** The payment, rounded down to whole quanta: the rest cannot be sent. */
function worded({ settings }: StarkExChain, to: Address, token: Token, units: bigint): Payment {
  const quantum = quantumOf(settings, token)
  return { to, token, ordered: units, quanta: units / quantum, asset: assetId(token.contract, quantum) }
}

export function refuseLosing({ network }: StarkExChain, { to, quanta, token, asset }: Payment): void {
  if (isUnpayable(network, to)) throw new PayoutImpossible(`${to} cannot be paid`)
  if (quanta === 0n && asset !== null)
    throw new PayoutImpossible(`less than one quantum of ${token.symbol} cannot be paid`)
}
