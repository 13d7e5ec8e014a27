/** How far a chain has come, by the word of as many providers as must agree: no single node takes a scan far beyond that. */
import { NodeFailure, type NodePool } from './nodes.ts'

export interface HeadQuorum<Node> {
  /** Throws where too few have come as far as this node says that the chain is. */
  assert(node: Node, height: bigint): Promise<void>
}

export interface HeadQuorumOptions<Node> {
  quorum: number | undefined
  /** Nodes are some blocks apart; and so often, not with every block, they are asked. */
  slack: bigint
  heightOf(node: Node): Promise<bigint>
}

export function openHeadQuorum<Node extends { name: string }>(
  pool: NodePool<Node>,
  { quorum = 1, slack, heightOf }: HeadQuorumOptions<Node>,
): HeadQuorum<Node> {
  let known: bigint | null = null
  return {
    async assert({ name }, height) {
      if (quorum < 2 || (known !== null && height <= known + slack)) return
      const isReached = await pool.agreed(async (node) => (await heightOf(node)) + slack >= height, String)
      if (!isReached) throw new NodeFailure(`node ${name} tells of block ${height}, of which others are far`)
      known = height
    },
  }
}
