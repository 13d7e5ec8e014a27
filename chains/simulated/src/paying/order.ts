/** Translates an order into the moves of one transaction. */
import { Bug, type Order } from '@causeway/core'
import type { OpenChain } from '../chain.ts'
import type { Move } from '../transaction.ts'

export function movesOf(order: Order, takings: readonly bigint[]): Move[] {
  const { account } = order
  if (order.kind === 'cancel') return []
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  if (order.kind === 'transfers') {
    return order.transfers.map(({ to, amount: { token, units } }) => {
      if (units <= 0n) throw new Bug('a transfer of nothing', { to, units })
      return { from: account, to, contract: token.contract, units }
    })
  }
  const { contract } = order.token
  return order.sources
    .map(({ address }, position) => ({ from: address, to: account, contract, units: takings[position] ?? 0n }))
    .filter(({ units }) => units > 0n)
}

export function refuseForeign({ network, treasury }: OpenChain, order: Order): void {
  if (order.account !== treasury) throw new Bug('the account is not the treasury', { account: order.account })
  if (order.kind === 'cancel') return
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  const tokens = order.kind === 'sweep' ? [order.token] : order.transfers.map(({ amount }) => amount.token)
  const foreign = tokens.find((token) => token.network !== network.name)
  if (foreign) throw new Bug('a token of another network', { token: foreign.symbol, network: foreign.network })
}
