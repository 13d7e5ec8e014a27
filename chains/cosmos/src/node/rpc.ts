/** The nodes of one network: the chain that they must be on, and that they are not far behind it. */
import { NodeFailure, type NodePool, openPool, type PoolOptions, WrongChain } from '@causeway/chain-kit'
import type { Settings } from '../settings.ts'
import { header, status } from './calls.ts'
import { type Node, openNode } from './node.ts'

export type Rpc = NodePool<Node>

export function openRpc(options: PoolOptions, settings: Settings): Rpc {
  const { requestTimeoutMs: timeoutMs } = settings
  return openPool(options, {
    open: (url) => openNode(url, { timeoutMs, spent: options.spent }),
    // Another node may have what this one has pruned or not reached yet.
    verify: (node) => verify(node, settings),
  })
}

async function verify(node: Node, { chainId, firstBlock }: Settings): Promise<void> {
  const [told] = await node.ask([status()])
  if (told.chainId !== chainId) throw new WrongChain(`node ${node.name} is on the chain ${told.chainId}`)
  if (told.isCatchingUp) throw new NodeFailure(`node ${node.name} is catching up`)
  if (!firstBlock) return
  const [shown] = await node.settle([header(firstBlock.height)])
  if (shown instanceof Error) throw new NodeFailure(`node ${node.name} cannot show block ${firstBlock.height}`)
  if (shown.hash !== firstBlock.hash) throw new WrongChain(`node ${node.name} is on another chain of the id ${chainId}`)
}
