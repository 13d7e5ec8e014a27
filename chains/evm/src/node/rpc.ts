/** The nodes of one network: which chain they must be on. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/core'
import { chainId } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends PoolOptions, NodeOptions {
  chainId: bigint
}

export function openRpc(options: RpcOptions): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    async verify(node) {
      const [actual] = await node.ask([chainId()])
      if (actual === options.chainId) return
      throw new WrongChain(`node ${node.name} is on chain ${actual}, not ${options.chainId}`)
    },
  })
}
