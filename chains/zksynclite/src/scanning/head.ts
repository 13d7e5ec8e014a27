/** The newest block. */
import { NodeFailure } from '@causeway/chain-kit'
import { type Block, block } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export async function headOf(node: Node): Promise<Block> {
  const head = await node.ask(block('lastCommitted'))
  if (!head) throw new NodeFailure(`node ${node.name} knows no block`)
  return head
}
