/**
 * Reads blocks, also if a node cannot print one of them. A node that fails to print one transaction refuses the whole
 * range, for ever: the scan would stop there. Then the block's transactions are asked for one by one.
 */
import { NodeFailure } from '@causeway/chain-kit'
import { RetryLater, type TxHash } from '@causeway/core'
import { assembleBlock, type Block } from '../block.ts'
import { blocks, headerAt, rawTransaction, receiptsOf } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { Ground } from './balance-changes.ts'

/** From this height on; fewer than asked for if the node refuses the range. */
export async function blocksOf(ground: Ground, node: Node, from: bigint, last: bigint): Promise<Block[]> {
  try {
    return await node.ask(blocks(from, last, ground.settings.unprovenBlocks))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (last > from) return blocksOf(ground, node, from, from + (last - from) / 2n)
    return [await oneByOne(ground, node, from, error)]
  }
}

async function oneByOne(
  { settings, network, log }: Ground,
  node: Node,
  number: bigint,
  error: Refusal,
): Promise<Block> {
  const header = await node.ask(headerAt(number))
  if (!header) throw new RetryLater(`the node has no block ${number}`)
  const receipts = await node.ask(receiptsOf(number))
  const shown = await Promise.all(receipts.map(({ id }) => shownBy(node, id)))
  const missing = receipts.flatMap(({ id }, at) => (shown[at] ? [] : [id]))
  const fields = { network: network.name, node: node.name, block: number, missing, reason: error.message }
  if (missing.length > 0) log.error(fields, 'a node cannot print a transaction')
  const block = assembleBlock(
    header,
    shown.filter((one) => one !== null),
    settings.unprovenBlocks,
  )
  // Without receipts nothing would be read, and an empty answer must not hide a block's transactions.
  if (receipts.length === 0 && !block.isProven) throw new NodeFailure(`node ${node.name} cannot print block ${number}`)
  return block
}

async function shownBy(node: Node, id: TxHash): Promise<Record<string, unknown> | null> {
  try {
    return await node.ask(rawTransaction(id))
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
