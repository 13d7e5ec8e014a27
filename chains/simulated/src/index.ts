/**
 * The simulated family: the smallest adapter, to be read first, over a blockchain that lives in memory and fails on
 * demand. It borrows the network type `starkex`, which no other folder serves; no real network is behind it.
 */
import type { Address, Amount, ChainAdapter, Family, Fees, Signer, Token } from '@causeway/core'
import { addressOf, isUnpayable, NATIVE_ADDRESS, parseAddress } from './address.ts'
import { SimulatedChain } from './blockchain.ts'
import { depositAction } from './deposit.ts'
import type { SimulatedNode } from './node.ts'
import { broadcast, nextSlot, prepare, sign, status } from './pay.ts'
import { findChain } from './registry.ts'
import { depositKey, TREASURY_KEY } from './settings.ts'
import { inspect, scan } from './watch.ts'

export { contractAddress } from './address.ts'
export type { SimulatedChain } from './blockchain.ts'
export { simulatedNetwork } from './network.ts'
export { type CallName, type Faults, type Hooks, openNode, type SimulatedNode } from './node.ts'
export { findChain, registerChain, unregisterChain } from './registry.ts'

/** What a move costs unless a test says otherwise: a round number that is easy to find again in a balance. */
const FEE_PER_MOVE = 1_000n

export function createSimulatedChain(options: { network: string; feePerMove?: bigint }): SimulatedChain {
  return new SimulatedChain(options.network, options.feePerMove ?? FEE_PER_MOVE)
}

export const family: Family = {
  type: 'starkex',
  nativeAddress: NATIVE_ADDRESS,
  parseAddress,
  treasury: (_network, signer) => treasuryOf(signer),
  open: async ({ network, signer, log }) => {
    const { node } = findChain(network.name)
    const treasury = await treasuryOf(signer)
    const watching = { network, node, log }
    const paying = { network, node, signer, treasury }
    const adapter: ChainAdapter = {
      network,
      treasury,
      nativeAddress: NATIVE_ADDRESS,
      parseAddress,
      isUnpayable: (address) => isUnpayable(network, address),
      depositAction: async (request) => depositAction(request),
      scan: (cursor, ours) => scan(watching, cursor, ours),
      inspect: (txHash, ours) => inspect(watching, txHash, ours),
      prepare: (order, replaces) => prepare(paying, order, replaces),
      nextSlot: (_order, _draft, taken) => nextSlot(paying, taken),
      sign: (order, slot, draft) => sign(paying, order, slot, draft),
      broadcast: (signed) => broadcast(paying, signed),
      status: (transfer) => status(paying, transfer),
      fees: () => fees(node),
      balance: (owner, token) => balance(node, owner, token),
      holdsNft: async (contract, owner) => (await node.balance(owner, contract)) > 0n,
      depositAddresses: { derive: async (index) => addressOf(await signer.publicKey(depositKey(index))) },
    }
    return adapter
  },
}

async function treasuryOf(signer: Signer): Promise<Address> {
  return addressOf(await signer.publicKey(TREASURY_KEY))
}

async function fees(node: SimulatedNode): Promise<Fees> {
  const each = await node.fee()
  return { nativeTransfer: each, tokenTransfer: each, sweep: each }
}

async function balance(node: SimulatedNode, owner: Address, token: Token): Promise<Amount> {
  return { token, units: await node.balance(owner, token.contract) }
}
