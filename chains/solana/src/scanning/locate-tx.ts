/** Locates a transaction: unknown, only processed, or in a block of the chain with a depth. */
import { type BlockRef, type Network, RetryLater, type TxHash } from '@causeway/core'
import { isSignature } from '@solana/kit'
import { blockRoot, latestBlock, NO_BLOCK_CODES, signatureStatus, transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { LandedTransaction } from '../transaction.ts'

export type Location =
  | { state: 'unknown' | 'pending' }
  | { state: 'landed'; transaction: LandedTransaction; block: BlockRef; confirmations: number }

export async function locate(network: Network, node: Node, hash: TxHash): Promise<Location> {
  if (!isSignature(hash)) return { state: 'unknown' }
  const [head, found, status] = await node.ask([latestBlock('confirmed'), transaction(hash), signatureStatus(hash)])
  if (!found) {
    if (status === null) return { state: 'unknown' }
    if (status.commitment === 'processed') return { state: 'pending' }
    throw new RetryLater('the node knows that the transaction landed, but not the transaction')
  }
  const [root] = await node.settle([blockRoot(found.slot)])
  if (root instanceof Refusal) {
    if (NO_BLOCK_CODES.has(root.code)) throw new RetryLater('the block of the transaction is not there now')
    throw root
  }
  // The node's own status of this very transaction; a slot number alone does not distinguish forks.
  const isFinal = status?.commitment === 'finalized' && status.slot === found.slot
  return {
    state: 'landed',
    transaction: found,
    block: { number: found.slot, hash: root.hash },
    confirmations: confirmationsOf(network, { head: head.slot, slot: found.slot, isFinal }),
  }
}

/**
 * Slots from the block's to the newest confirmed one, inclusive. A finalized block counts as final depth, and no other
 * does.
 */
function confirmationsOf(
  { finalDepth }: Network,
  { head, slot, isFinal }: { head: bigint; slot: bigint; isFinal: boolean },
): number {
  const depth = head < slot ? 1 : Number(head - slot) + 1
  return isFinal ? Math.max(depth, finalDepth) : Math.min(depth, finalDepth - 1)
}
