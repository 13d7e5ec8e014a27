/**
 * A payout may be signed again in another slot only if it failed at final depth or was invalidated. No single node
 * decides that: every node must show the same, in the same block.
 */

import type { Network, TransferStatus } from '@causeway/core'
import { RetryLater } from '@causeway/core'
import { mostCautious, type NodePool } from './nodes.ts'

export async function quorumStatus<Node>(
  { network, rpc }: { network: Network; rpc: NodePool<Node> },
  seen: TransferStatus,
  look: (node: Node) => Promise<TransferStatus>,
): Promise<TransferStatus> {
  const end = endOf(seen)
  // Before final depth the service does not act on a failure, so one node is enough.
  if (end === null || ('confirmations' in seen && seen.confirmations < network.finalDepth)) return seen
  const shown = await rpc.every(look)
  // The result is final only if it is final on all nodes.
  if (shown.every((one) => endOf(one) === end)) return mostCautious(shown) ?? seen
  const made = shown.find(({ state }) => state === 'included')
  // A node that shows the payout as made wins. With a quorum above one, a single node does not prove that.
  if (made && (network.quorum ?? 1) < 2) return made
  if (seen.state === 'dead') return { state: 'unknown' }
  throw new RetryLater(`${network.name}: nodes differ in whether a transfer failed`)
}

/** The end of a transaction that all nodes must agree on, as text; null if this status frees no slot. */
function endOf(seen: TransferStatus): string | null {
  if (seen.state === 'reverted') return `reverted ${seen.block.hash}`
  return seen.state === 'dead' ? `dead ${seen.evidence.usedBy} ${seen.evidence.block.hash}` : null
}
