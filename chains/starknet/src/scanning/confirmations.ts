/** The depth of a block, and finality: acceptance on L1. Both are read together from one node. */
import type { Network } from '@causeway/core'
import { type Header, header } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export interface Heads {
  latest: Header
  /** The newest block accepted on Ethereum: never reverted so far. */
  final: Header
}

export async function headsOf(node: Node): Promise<Heads> {
  const [latest, final] = await node.ask([header('latest'), header('l1_accepted')])
  return { latest, final }
}

/**
 * The confirmations of a block, which is its own first one. However many blocks are on top, a block is not final before
 * it is accepted on L1, and from then on it is.
 */
export function confirmationsAt({ latest, final }: Heads, block: bigint, { finalDepth }: Network): number {
  const counted = latest.number < block ? 1 : Number(latest.number - block) + 1
  if (block <= final.number) return Math.max(counted, finalDepth)
  return Math.max(1, Math.min(counted, finalDepth - 1))
}
