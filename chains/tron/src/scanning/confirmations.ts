/** The depth of a block: a solid block is final, and no other is. */
import type { Header } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { head, solidHead } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export interface Heads {
  head: Header
  solid: Header
}

export async function headsOf(node: Node): Promise<Heads> {
  const [newest, solid] = await Promise.all([node.ask(head()), node.ask(solidHead())])
  return { head: newest, solid }
}

/** A block is its own first confirmation, even if the head came from a lagging node. */
export function confirmationsAt(
  { network }: Pick<TronChain, 'network'>,
  { head, solid }: Heads,
  block: bigint,
): number {
  const depth = head.number < block ? 1 : Number(head.number - block) + 1
  if (solid.number >= block) return Math.max(depth, network.finalDepth)
  return Math.max(1, Math.min(depth, network.finalDepth - 1))
}
