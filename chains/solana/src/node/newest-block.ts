/** The newest block that a node calls confirmed. */
import { type Head, latestBlock } from './calls.ts'
import type { Node } from './node.ts'

export async function newestOf(node: Node): Promise<Head> {
  const [head] = await node.ask([latestBlock('confirmed')])
  return head
}
