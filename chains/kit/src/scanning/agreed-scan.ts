/**
 * A scan whose last block is confirmed by the quorum. One node reads the blocks. Blocks that only this node shows are
 * rejected: otherwise the cursor would end on a branch that no other node can continue.
 */
import { type Cursor, type Network, RetryLater, type Scan } from '@causeway/core'
import type { NodePool } from '../pool/nodes.ts'

/** The last block of a scan; its hash is null if the scan does not know it. */
export interface ScannedBlock {
  number: bigint
  hash: string | null
}

export interface AgreedScanOptions<Node> {
  /** Scans with one node from the cursor on. */
  scan(): Promise<Scan>
  /** The block that the quorum must show, too. */
  blockOf(found: Scan): ScannedBlock
  /** The hash that a node has at this height; null if it has no such block. */
  hashAt(node: Node, number: bigint): Promise<string | null>
}

/**
 * Runs the scan. Throws `RetryLater` if the quorum does not show its last block. A scan that did not move the cursor
 * needs no quorum.
 */
export async function agreedScan<Node>(
  { network, rpc }: { network: Network; rpc: NodePool<Node> },
  cursor: Cursor | null,
  { scan, blockOf, hashAt }: AgreedScanOptions<Node>,
): Promise<Scan> {
  const found = await scan()
  if ((network.quorum ?? 1) < 2 || found.next === cursor) return found
  const { number, hash } = blockOf(found)
  const agreed = await rpc.agreed((node) => hashAt(node, number), String)
  if (agreed !== hash) throw new RetryLater(`${network.name}: nodes do not agree on block ${number}`)
  return found
}
