/** The newest block of a node, if enough providers are close to it. */
import type { SolanaChain } from '../chain.ts'
import type { Head } from '../node/calls.ts'
import { newestOf } from '../node/newest-block.ts'
import type { Node } from '../node/node.ts'

export async function headOf({ reach }: Pick<SolanaChain, 'reach'>, node: Node): Promise<Head> {
  const head = await newestOf(node)
  await reach.assert(node, head.slot)
  return head
}
