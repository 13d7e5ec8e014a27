/**
 * The masterchain block of a transaction: the first one that has reached its logical time, which is the block that
 * contains it or the one before. It is the same for every node and for ever, since masterchain blocks are final.
 */
import { boundedMap } from '@causeway/chain-kit'
import type { BlockRef } from '@causeway/core'
import { blockAtLt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { TonTransaction } from '../transaction.ts'

export interface Blocks {
  of(node: Node, transaction: TonTransaction): Promise<BlockRef>
}

const REMEMBERED = 5_000

export function openBlocks(): Blocks {
  const known = boundedMap<string, BlockRef>(REMEMBERED)
  return {
    async of(node, { hash, lt }) {
      // Cached per node: one node's answer must not be used for another.
      const key = `${node.name} ${hash}`
      const kept = known.get(key)
      if (kept) return kept
      const block = await node.ask(blockAtLt(lt))
      known.set(key, block)
      return block
    },
  }
}

/** A block is its own first confirmation, even if the head was read earlier or from a lagging node. */
export function confirmationsAt(head: BlockRef, block: BlockRef): number {
  return head.number < block.number ? 1 : Number(head.number - block.number) + 1
}
