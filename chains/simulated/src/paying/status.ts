/** The status of a signed transfer. "Dead" lets a payout be signed again in another slot, so it needs proof. */
import type { InvalidationProof, SentTransfer, TransferStatus } from '@causeway/core'
import type { OpenChain } from '../chain.ts'
import type { LandedAt } from '../node/node.ts'
import { nonceOf } from './slot.ts'

export async function status({ network, node }: OpenChain, transfer: SentTransfer): Promise<TransferStatus> {
  const user = await node.slotUse(transfer.account, nonceOf(transfer.slot))
  if (user?.transaction.hash === transfer.hash) return landedStatus(user)
  // The only proof of invalidation: another transaction used the slot, in a final block.
  if (user && user.confirmations >= network.finalDepth) return { state: 'dead', evidence: evidenceOf(user) }
  const found = await node.transaction(transfer.hash)
  if (!found) return { state: 'unknown' }
  return 'pending' in found ? { state: 'pending' } : landedStatus(found)
}

function evidenceOf({ transaction: { hash, nonce }, block }: LandedAt): InvalidationProof {
  return { usedBy: hash, block, reason: `nonce ${nonce} was used by ${hash} in block ${block.number}, which is final` }
}

function landedStatus({ transaction, reverted, block, confirmations }: LandedAt): TransferStatus {
  return { state: reverted ? 'reverted' : 'included', block, confirmations, feeUnits: transaction.fee }
}
