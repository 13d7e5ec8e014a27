/** Translates an order into one call from the treasury with its value and data. */
import { type Address, Bug, type Order, type PreparedCall } from '@causeway/core'
import { getAddress, type Hex } from 'viem'
import type { EvmChain } from '../chain.ts'
import { encodeTransfer } from '../depositing/deposit.ts'
import { depositoryDeployment, paymasterDeployment } from '../depositing/depository.ts'
import { DEPLOYMENT_PROXY, encodeSweep, factoryAddress, factoryDeployment } from '../depositing/forwarder.ts'
import { isApproval, routerCall } from '../exchanging/router-call.ts'

export interface OrderCall {
  to: Address
  value: bigint
  data: Hex
  /** The token that the call spends from the treasury; null if it is the native one. */
  spends: { contract: Address; units: bigint } | null
}

/** Addresses per sweep: more would not fit the gas limit of one transaction (EIP-7825). */
const MAX_SWEEP = 64

export function callOf(chain: EvmChain, order: Order): OrderCall {
  if (order.account !== chain.treasury) throw new Bug('not our treasury', { account: order.account })
  if (order.kind === 'sweep') return sweepCall(chain, order)
  // A zero-value transfer to ourselves: it uses the nonce and pays no one.
  if (order.kind === 'cancel') return { to: chain.treasury, value: 0n, data: '0x', spends: null }
  if (order.kind === 'exchange') {
    const { token, units } = order.exchange.sells
    const spends = token.contract === null ? null : { contract: token.contract, units }
    return { ...routerCall(chain, order.exchange), spends }
  }
  if (order.call === undefined) return transferCall(order)
  const { to, data } = parseCall(order.call)
  assertOwn(chain, to, data)
  return { to, value: 0n, data, spends: null }
}

/** Throws unless the call goes to one of our own contracts, with a function that cannot move the treasury's money. */
function assertOwn(chain: EvmChain, to: Address, data: Hex): void {
  const { depositories, paymasters } = chain.contracts
  const target = to.toLowerCase()
  if (depositories.has(target) || paymasters.has(target) || isApproval(chain, to, data)) return
  if (target !== DEPLOYMENT_PROXY.toLowerCase()) throw new Bug('a call to a contract that is not ours', { to })
  if (!deploymentsOf(chain).includes(data.toLowerCase())) throw new Bug('a contract that is not ours to deploy', { to })
}

/** The deployments that may be called: only our own contracts, because other code would run at our cost. */
function deploymentsOf({ contracts, treasury }: EvmChain): string[] {
  const own = [
    factoryDeployment(treasury),
    depositoryDeployment(contracts.owner, treasury),
    ...[...contracts.depositories].map((depository) => paymasterDeployment(treasury, getAddress(depository))),
  ]
  return own.map(({ data }) => data.toLowerCase())
}

/** A call encoded earlier, and the owner whose tokens it needs. */
export interface WordedCall {
  to: Address
  data: Hex
  needs: { contract: Address; owner: Address; units: bigint } | null
}

export function formatCall(call: WordedCall): PreparedCall {
  return JSON.stringify(call, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

export function parseCall(text: PreparedCall): WordedCall {
  const call: Omit<WordedCall, 'needs'> & { needs: { contract: Address; owner: Address; units: string } | null } =
    JSON.parse(text)
  return { ...call, needs: call.needs && { ...call.needs, units: BigInt(call.needs.units) } }
}

function transferCall({ transfers }: Extract<Order, { kind: 'transfers' }>): OrderCall {
  const [transfer, ...more] = transfers
  if (!transfer || more.length > 0) throw new Bug('one transfer a transaction here', { transfers: transfers.length })
  const { to, amount } = transfer
  if (amount.units <= 0n) throw new Bug('a transfer needs an amount', { to, units: amount.units })
  const { contract } = amount.token
  if (contract === null) return { to, value: amount.units, data: '0x', spends: null }
  const { units } = amount
  return { to: contract, value: 0n, data: encodeTransfer(to, units), spends: { contract, units } }
}

function sweepCall(chain: EvmChain, { sources, token }: Extract<Order, { kind: 'sweep' }>): OrderCall {
  if (sources.length === 0 || sources.length > MAX_SWEEP) {
    throw new Bug(`a sweep takes 1 to ${MAX_SWEEP} addresses`, { sources: sources.length })
  }
  return { to: factoryAddress(chain.treasury), value: 0n, data: encodeSweep(token, sources), spends: null }
}
