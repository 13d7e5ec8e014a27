/** The nodes of one network, and the chain that they must be on. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { masterchainInfo } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends PoolOptions, NodeOptions {
  zeroState: string
}

export function openRpc(options: RpcOptions): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    async verify(node) {
      const { zeroState } = await node.ask(masterchainInfo())
      if (zeroState === options.zeroState) return
      throw new WrongChain(`node ${node.name} is on the network of zero state ${zeroState}`)
    },
  })
}
