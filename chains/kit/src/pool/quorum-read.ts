/**
 * What lets a payout be signed again in another slot, that it failed at final depth or is dead, is no single node's to say: every
 * node must show the same of it, in the same block.
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
  // Before final depth nobody acts on it.
  if (end === null || ('confirmations' in seen && seen.confirmations < network.finalDepth)) return seen
  const shown = await rpc.every(look)
  // Final is what is final on all of them.
  if (shown.every((one) => endOf(one) === end)) return mostCautious(shown) ?? seen
  const made = shown.find(({ state }) => state === 'included')
  // What was made outweighs; but where several must agree on a landing, one alone does not say so.
  if (made && (network.quorum ?? 1) < 2) return made
  if (seen.state === 'dead') return { state: 'unknown' }
  throw new RetryLater(`${network.name}: nodes differ in whether a transfer failed`)
}

/** What nodes must show alike; null where it frees nothing. */
function endOf(seen: TransferStatus): string | null {
  if (seen.state === 'reverted') return `reverted ${seen.block.hash}`
  return seen.state === 'dead' ? `dead ${seen.evidence.usedBy} ${seen.evidence.block.hash}` : null
}
