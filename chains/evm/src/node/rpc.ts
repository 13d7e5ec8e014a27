/** The nodes of one network: which chain they must be on, and the pool that chooses among them. */
import { type ChainLog, type NodePool, poolNodes, WrongChain } from '@causeway/core'
import { chainId } from './calls.ts'
import { type Node, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions {
  network: string
  chainId: bigint
  nodes: readonly string[]
  timeoutMs: number
  batchSize: number
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
      const [actual] = await node.ask([chainId()])
      if (actual === options.chainId) return
      throw new WrongChain(`node ${node.name} is on chain ${actual}, not ${options.chainId}`)
    },
  })
}
