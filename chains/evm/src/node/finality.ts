/**
 * Finality: a block is final if it is deep enough and, on a node that knows the network's finality tag, at or below the
 * tagged block. A depth is a guess about reorgs; the tag is the consensus itself, or the rollup's data on L1.
 */
import { type BlockRef, RetryLater } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { header } from './calls.ts'
import { type Node, Refusal } from './node.ts'

type Chain = Pick<EvmChain, 'network' | 'settings'>

/** The newest tagged height of each node that knows the tag. */
const tagged = new WeakMap<Node, bigint>()

/** Confirmations of a block: its depth, but fewer than finality needs until the node tags it as final. */
export async function confirmationsOf(chain: Chain, node: Node, head: bigint, block: BlockRef): Promise<number> {
  const { finalDepth } = chain.network
  // A block is its own first confirmation, even if the head was read a moment earlier.
  const depth = head < block.number ? 1 : Number(head - block.number) + 1
  const isFinal = depth < finalDepth || (await hasTag(chain, node, block.number))
  return isFinal ? depth : Math.max(finalDepth - 1, 0)
}

/** The newest block that is final by depth and by tag. */
export async function finalHeight(chain: Chain, node: Node, head: bigint): Promise<bigint> {
  const byDepth = head - BigInt(chain.network.finalDepth)
  if (byDepth < 0n || (await hasTag(chain, node, byDepth))) return byDepth
  return tagged.get(node) ?? byDepth
}

/** Whether the tag reaches this block. True if the node has no such tag: then depth decides alone. */
async function hasTag({ settings: { finalityTag: tag } }: Chain, node: Node, height: bigint): Promise<boolean> {
  if (tag === 'none') return true
  const before = tagged.get(node)
  if (before !== undefined && height <= before) return true
  const [found] = await node.settle([header(tag)])
  const now = found === undefined || found === null || found instanceof Refusal ? 0n : found.number
  // A node without finality shows none, an error or its first block. One that knew the tag before must show it again.
  if (now === 0n && before === undefined) return true
  if (now === 0n) throw new RetryLater(`the node does not show its ${tag} block now`)
  if (before === undefined || now > before) tagged.set(node, now)
  return height <= now
}
