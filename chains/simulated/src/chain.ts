/** State that every module of an opened network shares: its node, its keys and its treasury. */
import type { Address, ChainLog, Network, Signer } from '@causeway/core'
import type { Node } from './node/node.ts'
import { findNode } from './node/registry.ts'
import { treasuryOf } from './paying/treasury.ts'

export interface OpenChain {
  network: Network
  node: Node
  signer: Signer
  treasury: Address
  log: ChainLog
}

export async function openChain(network: Network, signer: Signer, log: ChainLog): Promise<OpenChain> {
  const node = findNode(network.name)
  return { network, node, signer, treasury: await treasuryOf(signer), log }
}
