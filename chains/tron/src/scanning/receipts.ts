/** Blocks with their receipts. A node must return one for every transaction that the block proves. */
import { RetryLater } from '@causeway/core'
import type { Block } from '../block.ts'
import { type Receipt, receiptsOf } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export interface ToldBlock extends Block {
  /** The receipts, in the order of the transactions. */
  receipts: Receipt[]
}

/** Reads the receipts of a block; throws if the node omits one, because a backend behind it may lag. */
export async function withReceipts(node: Node, block: Block): Promise<ToldBlock> {
  if (block.transactions.length === 0) return { ...block, receipts: [] }
  const told = new Map((await node.ask(receiptsOf(block.number))).map((receipt) => [receipt.id, receipt]))
  const receipts = block.transactions.map(({ id }) => {
    const receipt = told.get(id)
    if (receipt?.block !== block.number) throw new RetryLater(`the node has no receipt of ${id}`)
    return receipt
  })
  return { ...block, receipts }
}
