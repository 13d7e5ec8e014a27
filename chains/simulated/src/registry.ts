/**
 * The chains of this process by network name: how a family that is opened with nothing but a network finds the chain
 * and the node that a test made for it.
 */
import { Bug } from '@causeway/core'
import type { SimulatedChain } from './blockchain.ts'
import { openNode, type SimulatedNode } from './node.ts'

export interface Registered {
  chain: SimulatedChain
  node: SimulatedNode
}

const chains = new Map<string, Registered>()

/** From now on `family.open` reaches this chain through this node. */
export function registerChain(network: string, chain: SimulatedChain, node = openNode(chain)): Registered {
  const registered = { chain, node }
  chains.set(network, registered)
  return registered
}

export function unregisterChain(network: string): void {
  chains.delete(network)
}

export function findChain(network: string): Registered {
  const found = chains.get(network)
  if (!found) throw new Bug('no simulated chain was registered for the network', { network })
  return found
}
