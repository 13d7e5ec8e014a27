/**
 * Reads one transaction in the block that a node reports: the block proves it, and the node must report the same twice.
 */
import { RetryLater, type TxHash } from '@causeway/core'
import type { Block, BlockTransaction } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { headerAt, isWaiting, type Receipt, receipt, solidAt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { confirmationsAt, type Heads, headsOf } from './confirmations.ts'

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
  // A node that does not support lookups of pending transactions is not wrong.
  if (!told) return { state: (await node.ask(isWaiting(hash)).catch(() => false)) ? 'pending' : 'unknown' }
  const [block, heads] = await Promise.all([chain.provenBlocks.blockAt(chain, node, told.block), headsOf(node)])
  const transaction = block?.transactions.find(({ id }) => id === hash)
  if (!block || !transaction) throw new RetryLater('the node reports a transaction that is not in its block')
  if ((await standingId(chain, node, heads, block)) !== block.id)
    throw new RetryLater(`block ${block.number} is not part of the chain now`)
  // On another branch the same transaction may have had another effect, so the report is read again.
  const again = await node.ask(receipt(hash))
  if (textOf(again) !== textOf(told)) throw new RetryLater('the chain changed while it was read')
  return { block, transaction, receipt: told, confirmations: confirmationsAt(chain, heads, block.number) }
}

/**
 * Behind one address a backend may be stuck on an orphaned branch while another reports the head. Solid blocks are
 * canonical by number; for others the scan knows the branch that reached the head.
 */
async function standingId(
  { provenBlocks }: TronChain,
  node: Node,
  { solid }: Heads,
  { number }: Pick<Block, 'number'>,
): Promise<string | null> {
  if (solid.number >= number) return (await node.ask(solidAt(number)))?.id ?? null
  return provenBlocks.idAt(number) ?? (await node.ask(headerAt(number)))?.id ?? null
}

function textOf(told: Receipt | null): string {
  return JSON.stringify(told, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
