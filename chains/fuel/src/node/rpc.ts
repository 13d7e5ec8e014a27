/** The nodes of one network, and the chain that they must be on. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { parameters } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends PoolOptions, NodeOptions {
  chainId: bigint
  baseAsset: string
}

export function openRpc(options: RpcOptions): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    // Another node may have what this one does not know yet or has pruned.
    async verify(node) {
      const { chainId, baseAsset } = await node.ask(parameters())
      if (chainId === options.chainId && baseAsset === options.baseAsset) return
      const wanted = `${options.chainId} with ${options.baseAsset}`
      throw new WrongChain(`node ${node.name} is on chain ${chainId} with the base asset ${baseAsset}, not ${wanted}`)
    },
  })
}
