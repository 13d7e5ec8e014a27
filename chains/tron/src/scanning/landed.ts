/** One transaction where a node says that it stands: the block proves it, and the node must tell the same of it twice. */
import { RetryLater, type TxHash } from '@causeway/core'
import type { Block, BlockTransaction } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { isWaiting, type Receipt, receipt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { confirmationsAt, headsOf } from './confirmations.ts'

interface Found {
  block: Block
  confirmations: number
  transaction: BlockTransaction
  receipt: Receipt
}

export async function landedOn(
  chain: TronChain,
  node: Node,
  hash: TxHash,
): Promise<Found | { state: 'pending' | 'unknown' }> {
  const told = await node.ask(receipt(hash))
  // Who cannot say what waits says nothing wrong.
  if (!told) return { state: (await node.ask(isWaiting(hash)).catch(() => false)) ? 'pending' : 'unknown' }
  const [block, heads] = await Promise.all([chain.books.blockAt(chain, node, told.block), headsOf(node)])
  const transaction = block?.transactions.find(({ id }) => id === hash)
  if (!block || !transaction) throw new RetryLater('the node tells of a transaction that its block does not hold')
  // On another branch the same transaction may have done something else.
  const again = await node.ask(receipt(hash))
  if (textOf(again) !== textOf(told)) throw new RetryLater('the chain changed while it was read')
  return { block, transaction, receipt: told, confirmations: confirmationsAt(chain, heads, block.number) }
}

function textOf(told: Receipt | null): string {
  return JSON.stringify(told, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
