/** The newest block of a node, where as many providers as must agree are nearly there too. */
import { type NodePool, openReach, type Reach } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { type Head, latestBlock } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

/** Half a minute. */
const SLACK_SLOTS = 64n

export async function headOf({ reach }: Pick<SolanaChain, 'reach'>, node: Node): Promise<Head> {
  const head = await newest(node)
  await reach.assert(node, head.slot)
  return head
}

export function reachOf(rpc: NodePool<Node>, quorum: number | undefined): Reach<Node> {
  return openReach(rpc, { quorum, slack: SLACK_SLOTS, heightOf: async (node) => (await newest(node)).slot })
}

async function newest(node: Node): Promise<Head> {
  const [head] = await node.ask([latestBlock('confirmed')])
  return head
}
