/** Translates an order into calls of the treasury's account in one transaction, which all happen or none does. */
import { Bug, type Order, type Token } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { splitU256 } from '../felt.ts'
import type { ContractCall } from '../transaction.ts'

export function callsOf(chain: StarknetChain, order: Order): ContractCall[] {
  if (order.account !== chain.treasury) throw new Bug('not our treasury', { account: order.account })
  // A cancellation is a zero-value transfer to ourselves: it uses the nonce and pays no recipient.
  if (order.kind === 'cancel') return [transferCall(BigInt(chain.settings.feeToken), chain.treasury, 0n)]
  if (order.kind === 'sweep') throw new Bug('there are no deposit addresses here', { sources: order.sources.length })
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  if (order.call !== undefined) throw new Bug('no call is supported here', { call: order.call })
  const { transfers } = order
  const most = chain.settings.maxTransfers
  if (transfers.length === 0 || transfers.length > most) {
    throw new Bug(`a transaction takes 1 to ${most} transfers`, { transfers: transfers.length })
  }
  for (const { to, amount } of transfers) {
    if (amount.units <= 0n) throw new Bug('a transfer needs an amount', { to, units: amount.units })
    const listed = chain.tokens.get(contractOf(chain, amount.token))
    if (listed?.contract !== amount.token.contract) throw new Bug('not a token of this network', { to })
    if (!isAddress(to)) throw new Bug('not an address of this network', { to })
  }
  return chain.profile.payoutCalls(transfers)
}

/** The number of payments, from which the gas is computed. */
export function paymentsIn(order: Order): bigint {
  return order.kind === 'transfers' ? BigInt(order.transfers.length) : 1n
}

/** The amounts that leave the treasury, by token contract. */
export function spendingOf(chain: StarknetChain, order: Order): Map<bigint, bigint> {
  const spent = new Map<bigint, bigint>()
  for (const { amount } of order.kind === 'transfers' ? order.transfers : []) {
    const contract = contractOf(chain, amount.token)
    spent.set(contract, (spent.get(contract) ?? 0n) + amount.units)
  }
  return spent
}

export function contractOf({ settings }: Pick<StarknetChain, 'settings'>, { contract }: Token): bigint {
  return BigInt(contract ?? settings.feeToken)
}

export function transferCall(token: bigint, to: string, units: bigint): ContractCall {
  return { to: token, entrypoint: 'transfer', calldata: [BigInt(to), ...splitU256(units)] }
}

function isAddress(text: string): boolean {
  return /^0x0[0-9a-f]{63}$/.test(text)
}
