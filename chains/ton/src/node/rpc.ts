/** The nodes of one network: which chain they must be on, and the pool that chooses among them. */
import { type ChainLog, type NodePool, poolNodes, WrongChain } from '@causeway/core'
import { masterchainInfo } from './calls.ts'
import { type Node, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions {
  network: string
  zeroState: string
  nodes: readonly string[]
  timeoutMs: number
  requestsPerSecond: number
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
    // A liteserver behind a node may lag or have forgotten.
    asksOnAfterRefusal: true,
    async verify(node) {
      const { zeroState } = await node.ask(masterchainInfo())
      if (zeroState === options.zeroState) return
      throw new WrongChain(`node ${node.name} is on the network of zero state ${zeroState}`)
    },
  })
}
