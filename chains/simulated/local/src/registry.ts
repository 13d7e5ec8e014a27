/** The chains of this process by network name, each with the node that its adapter uses: tests find them here. */
import { Bug } from '@causeway/core'
import { registerNode, unregisterNode } from '../../src/node/registry.ts'
import type { SimulatedChain } from './blockchain.ts'
import { openNode, type SimulatedNode } from './node.ts'

export interface Registered {
  chain: SimulatedChain
  node: SimulatedNode
}

const chains = new Map<string, Registered>()

/** Registers a chain: from now on `family.open` reaches it through this node. */
export function registerChain(network: string, chain: SimulatedChain, node = openNode(chain)): Registered {
  const registered = { chain, node }
  chains.set(network, registered)
  registerNode(network, node)
  return registered
}

export function unregisterChain(network: string): void {
  chains.delete(network)
  unregisterNode(network)
}

export function findChain(network: string): Registered {
  const found = chains.get(network)
  if (!found) throw new Bug('no simulated chain was registered for the network', { network })
  return found
}
