/**
 * The nodes of this process by network name. A family that gets only a network finds its node here; code that runs a
 * chain in this process registers its node here.
 */
import { Bug } from '@causeway/core'
import type { Node } from './node.ts'

const nodes = new Map<string, Node>()

/** Registers a node: from now on `family.open` reaches the network through it. */
export function registerNode(network: string, node: Node): void {
  nodes.set(network, node)
}

export function unregisterNode(network: string): void {
  nodes.delete(network)
}

export function findNode(network: string): Node {
  const found = nodes.get(network)
  if (!found) throw new Bug('no simulated chain was registered for the network', { network })
  return found
}
