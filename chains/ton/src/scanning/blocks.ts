/**
 * In which masterchain block a transaction counts: the first one that has reached its logical time, which is the block
 * that carries it or the one before. The same for every node and for ever, since masterchain blocks are final.
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
      // By node: what one says must not become what another says.
      const key = `${node.name} ${hash}`
      const kept = known.get(key)
      if (kept) return kept
      const block = await node.ask(blockAtLt(lt))
      known.set(key, block)
      return block
    },
  }
}

/** A block counts as its own first confirmation, also where the head was read a moment earlier or from a node that lags. */
export function confirmationsAt(head: BlockRef, block: BlockRef): number {
  return head.number < block.number ? 1 : Number(head.number - block.number) + 1
}
