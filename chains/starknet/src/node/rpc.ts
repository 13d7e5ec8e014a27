/** The nodes of one network: their chain, and the supported versions of the protocol. */
import { NodeFailure, type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import { chainId, specVersion } from './calls.ts'
import { type Node, type NodeOptions, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export interface RpcOptions extends PoolOptions, NodeOptions {
  chainId: bigint
  /** Throws if the node cannot be trusted for another reason; `plain` calls it without our authentication. */
  examine(node: Node, plain: Node): Promise<void>
}

/** Minimum minor version: older ones have no block that is accepted on L1, and write receipts differently. */
const LEAST_MINOR = 9

export function openRpc(options: RpcOptions): Rpc {
  const strangers = new Map<Node, Node>()
  return openPool(options, {
    open: (url) => {
      const node = openNode(url, options)
      strangers.set(node, openNode(url, { ...options, wording: undefined }))
      return node
    },
    // Another node may have what this one has not reached yet or has pruned.
    async verify(node) {
      const [actual, version] = await node.ask([chainId(), specVersion()])
      if (actual !== options.chainId) {
        throw new WrongChain(`node ${node.name} is on chain 0x${actual.toString(16)}, not on the one of the file`)
      }
      const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)\./.exec(version) ?? []
      if (Number(major) === 0 && Number(minor) < LEAST_MINOR) {
        throw new NodeFailure(`node ${node.name} speaks version ${version}: its address must name v0_9 or a newer one`)
      }
      await options.examine(node, strangers.get(node) ?? node)
    },
  })
}
