/** The nodes of one network, and the chain that they must be on. */
import { type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { chainId } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'
import { openSocketNode } from './socket.ts'

export interface Rpc extends NodePool<Node> {
  /** Subscribes to new heads if a node supports it; null if all must be polled. */
  onHead: ((listener: () => void) => () => void) | null
}

export interface RpcOptions extends PoolOptions, NodeOptions {
  chainId: bigint
}

export function openRpc(options: RpcOptions): Rpc {
  const opened: Node[] = []
  const pool = openPool(options, {
    open: (url) => {
      const node = /^wss?:/.test(url) ? openSocketNode(url, options) : openNode(url, options)
      opened.push(node)
      return node
    },
    async verify(node) {
      const [actual] = await node.ask([chainId()])
      if (actual === options.chainId) return
      throw new WrongChain(`node ${node.name} is on chain ${actual}, not ${options.chainId}`)
    },
  })
  const telling = opened.flatMap(({ onHead }) => onHead ?? [])
  return {
    ...pool,
    onHead:
      telling.length === 0
        ? null
        : (listener) => {
            const stops = telling.map((onHead) => onHead(listener))
            return () => {
              for (const stop of stops) stop()
            }
          },
  }
}
