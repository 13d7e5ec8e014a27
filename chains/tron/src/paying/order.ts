/**
 * Translates an order into the one contract call of a transaction. There are no batches, and nothing is ever cancelled.
 */
import {
  type Address,
  Bug,
  type Order,
  PayoutImpossible,
  RetryLater,
  type SweepSource,
  type Token,
} from '@causeway/core'
import { type ContractCall, dataOf, transferCall } from '../abi.ts'
import { isLosing } from '../address.ts'
import type { TronChain } from '../chain.ts'
import { sweepCall } from '../depositing/forwarder.ts'
import type { Contract } from '../transaction.ts'
import { callContract, readCall } from './calls.ts'

/** A sweep of more addresses would exceed the computing limit of one transaction. */
export const MAX_SOURCES = 20
/** The maximum amount of coins on the chain, and of tokens in a contract. */
const MOST_COINS = 2n ** 63n - 1n
const MOST_TOKENS = 2n ** 256n - 1n

export type Wording = Pick<TronChain, 'network' | 'treasury' | 'settings'>

export function contractOf(chain: Wording, order: Order): Contract {
  const { treasury } = chain
  if (order.account !== treasury) throw new Bug('not our treasury', { account: order.account })
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  if (order.kind === 'cancel')
    throw new RetryLater('nothing is cancelled on this chain: what was signed waits for its end')
  if (order.kind === 'sweep') return sweepOf(chain, order.token, order.sources)
  if (order.call !== undefined) {
    if (order.transfers.length > 0) throw new Bug('an order has either a call or transfers', { call: order.call })
    return callContract(chain, order.call)
  }
  const [transfer, ...more] = order.transfers
  if (!transfer || more.length > 0)
    throw new Bug('one transfer a transaction here', { transfers: order.transfers.length })
  const { to, amount } = transfer
  assertToken(chain, amount.token)
  const most = amount.token.contract === null ? MOST_COINS : MOST_TOKENS
  if (amount.units <= 0n || amount.units > most) throw new Bug('not an amount', { to, units: amount.units })
  if (isUnpayable(chain, to)) throw new PayoutImpossible(`${to} cannot be paid`)
  if (to === treasury) throw new PayoutImpossible('the chain refuses a payment to oneself')
  const { contract } = amount.token
  if (contract === null) return { kind: 'transfer', owner: treasury, to, units: amount.units }
  return { kind: 'call', owner: treasury, contract, value: 0n, data: dataOf(transferCall(to, amount.units)) }
}

/** Throws unless the network's file lists the contract as a token. */
function assertToken({ network }: Wording, token: Token): void {
  const isListed = network.tokens.some(({ contract }) => contract === token.contract)
  if (token.network !== network.name || !isListed) throw new Bug('not a token of this network', { ...token })
}

function sweepOf(chain: Wording, token: Token, sources: readonly SweepSource[]): Contract {
  const { treasury, settings } = chain
  assertToken(chain, token)
  if (settings.factory === null) throw new Bug('this network has no deposit addresses', { network: chain.network.name })
  if (sources.length === 0 || sources.length > MAX_SOURCES) {
    throw new Bug(`a sweep takes 1 to ${MAX_SOURCES} addresses`, { sources: sources.length })
  }
  const data = dataOf(sweepCall(token, sources))
  return { kind: 'call', owner: treasury, contract: settings.factory, value: 0n, data }
}

/** The call of an existing contract; null if there is none. */
export function callOf(chain: Wording, order: Order): { to: Address; call: ContractCall } | null {
  const { settings } = chain
  if (order.kind === 'sweep') {
    return settings.factory === null ? null : { to: settings.factory, call: sweepCall(order.token, order.sources) }
  }
  if (order.kind === 'cancel' || order.kind === 'exchange') return null
  if (order.call !== undefined) {
    const worded = readCall(chain, order.call)
    return 'make' in worded ? null : { to: worded.to, call: worded }
  }
  const [transfer] = order.transfers
  const contract = transfer?.amount.token.contract ?? null
  return transfer && contract !== null ? { to: contract, call: transferCall(transfer.to, transfer.amount.units) } : null
}

export function isUnpayable({ network, settings }: Wording, address: Address): boolean {
  const { factory, depository, oldDepositories } = settings
  const own = [factory, depository, ...oldDepositories]
  return isLosing(address) || own.includes(address) || network.tokens.some(({ contract }) => contract === address)
}
