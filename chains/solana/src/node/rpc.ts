/** The nodes of one network, and the chain that they must be on. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { genesisHash } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends PoolOptions, NodeOptions {
  /** The genesis hash that nodes must have; null if any chain is accepted. */
  genesisHash: string | null
}

export function openRpc(options: RpcOptions): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    // Another node may have what this one has pruned or not reached yet.
    async verify(node) {
      if (options.genesisHash === null) return
      const [actual] = await node.ask([genesisHash()])
      if (actual === options.genesisHash) return
      throw new WrongChain(`node ${node.name} has the genesis ${actual}, not ${options.genesisHash}`)
    },
  })
}
