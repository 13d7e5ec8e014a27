/** The newest block of a node. If it is old, the node or the whole chain is stuck, and nothing is done. */
import { NodeFailure } from '@causeway/chain-kit'
import type { CosmosChain } from '../chain.ts'
import { type Status, status } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export async function headOf({ settings, now }: CosmosChain, node: Node): Promise<Status> {
  const [head] = await node.ask([status()])
  if (head.chainId !== settings.chainId) throw new NodeFailure(`node ${node.name} is on the chain ${head.chainId}`)
  const ageMs = now() - head.timeMs
  if (head.isCatchingUp || !(ageMs <= settings.maxHeadAgeMs))
    throw new NodeFailure(`node ${node.name} stands still at block ${head.height}`)
  return head
}
