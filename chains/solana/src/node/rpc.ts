/** The nodes of one network: which chain they must be on, and the pool that chooses among them. */
import { type ChainLog, type NodePool, poolNodes, WrongChain } from '@causeway/core'
import { genesisHash } from './calls.ts'
import { type Node, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions {
  network: string
  genesisHash: string | null
  nodes: readonly string[]
  timeoutMs: number
  parallel: number
  log: ChainLog
  now?: () => number
}

export function openRpc(options: RpcOptions): Rpc {
  const { network, log, now = Date.now } = options
  return poolNodes({
    network,
    log,
    now,
    nodes: options.nodes.map((url) => openNode(url, options)),
    async verify(node) {
      if (options.genesisHash === null) return
      const [actual] = await node.ask([genesisHash()])
      if (actual === options.genesisHash) return
      throw new WrongChain(`node ${node.name} has the genesis ${actual}, not ${options.genesisHash}`)
    },
  })
}
