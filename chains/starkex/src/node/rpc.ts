/** The endpoints of one operator, and the ledger that it must keep. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { instance } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export function openRpc(options: PoolOptions & NodeOptions & { instance: string }): Rpc {
  return openPool(options, {
    open: (url) => openNode(url, options),
    async verify(node) {
      const name = await node.ask(instance())
      if (name === options.instance) return
      throw new WrongChain(`node ${node.name} keeps the ledger ${name}`)
    },
  })
}
