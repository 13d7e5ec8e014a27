/** The servers of one network: which Ethereum network they must be based on. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { network } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export function openRpc(options: PoolOptions & NodeOptions & { ethereumChainId: number }): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    async verify(node) {
      const chainId = await node.ask(network())
      if (chainId === options.ethereumChainId) return
      throw new WrongChain(`node ${node.name} stands on the Ethereum of chain id ${chainId}`)
    },
  })
}
