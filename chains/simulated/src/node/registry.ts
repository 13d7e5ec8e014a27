/**
 * The nodes of this process by network name: how a family that is opened with nothing but a network finds the one that
 * was made for it. Whoever runs a chain in this process puts its node here.
 */
import { Bug } from '@causeway/core'
import type { Node } from './node.ts'

const nodes = new Map<string, Node>()

/** From now on `family.open` reaches the network through this node. */
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
