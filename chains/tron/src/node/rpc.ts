/** The nodes of one network: the chain that they must be on, and how far one may lag before another is asked. */
import { NodeFailure, type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import type { Header } from '../block.ts'
import type { Settings } from '../settings.ts'
import { genesis, head } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends PoolOptions, NodeOptions {
  genesis: string
}

export function openRpc(options: RpcOptions): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    async verify(node) {
      const found = await node.ask(genesis())
      if (found === options.genesis) return
      throw new WrongChain(`node ${node.name} is on the chain of block ${found}`)
    },
  })
}

/** The node's newest block. A node that is stuck, or reports a time in the future, is not used. */
export async function freshHead(
  node: Node,
  { maxLagMs, maxLeadMs }: Pick<Settings, 'maxLagMs' | 'maxLeadMs'>,
): Promise<Header> {
  const newest = await node.ask(head())
  const lagMs = Date.now() - newest.time
  if (lagMs > maxLagMs) throw new NodeFailure(`node ${node.name} is ${Math.round(lagMs / 1000)} s behind`)
  if (-lagMs > maxLeadMs) {
    throw new NodeFailure(`node ${node.name} is ${Math.round(-lagMs / 1000)} s ahead of our own clock`)
  }
  return newest
}
