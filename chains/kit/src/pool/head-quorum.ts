/** Chain-height quorum: no single node takes a scan far beyond the height that enough providers confirm. */
import { NodeFailure, type NodePool } from './nodes.ts'

export interface HeadQuorum<Node> {
  /** Throws if too few nodes have reached the height that this node reports. */
  assert(node: Node, height: bigint): Promise<void>
}

export interface HeadQuorumOptions<Node> {
  quorum: number | undefined
  /**
   * Healthy nodes may be this many blocks apart. The quorum is asked once per this many blocks, not for every block.
   */
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
      if (!isReached) throw new NodeFailure(`node ${name} reports block ${height}, far above the others`)
      known = height
    },
  }
}
