/**
 * The status of a signed transfer. "Dead" lets a payout be signed again in another slot, so it needs proof: every node
 * names the transaction that used the nonce, at final depth, and no node knows this one. "Reverted" at final depth
 * likewise needs every node.
 */
import { quorumStatus } from '@causeway/chain-kit'
import { RetryLater, type SentTransfer, type TransferStatus, type TxHash } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { header, receipt, transaction } from '../node/calls.ts'
import { confirmationsOf } from '../node/finality.ts'
import type { Node } from '../node/node.ts'
import { assertCanonical } from '../scanning/inspect.ts'
import { evidenceOf, findNonceUse, type NonceUse } from './invalidation.ts'
import { nonceOf } from './pay.ts'

export async function status(chain: EvmChain, sent: SentTransfer): Promise<TransferStatus> {
  const look = (node: Node) => lookUp(chain, node, sent.hash)
  const seen = await chain.rpc.agreed(
    look,
    // Nodes may differ about a pending transaction; that is no fault.
    (found) => ('block' in found ? `${found.state} ${found.block.hash}` : 'waits'),
  )
  if (seen.state !== 'unknown') return quorumStatus(chain, seen, look)
  const rival = await findRival(chain, sent)
  return rival ? { state: 'dead', evidence: evidenceOf(rival, nonceOf(sent.slot)) } : { state: 'unknown' }
}

async function lookUp(chain: EvmChain, node: Node, hash: TxHash): Promise<TransferStatus> {
  const [head, found, proof] = await node.ask([header('latest'), transaction(hash), receipt(hash)])
  if (!head) throw new RetryLater('the node has no head')
  if (!proof) return { state: found ? 'pending' : 'unknown' }
  await assertCanonical(node, proof)
  const { block, feeUnits } = proof
  const confirmations = await confirmationsOf(chain, node, head.number, block)
  return { state: proof.success ? 'included' : 'reverted', block, confirmations, feeUnits }
}

/** Another transaction that used this nonce. Every node must show the same one in the same block, and not know ours. */
async function findRival(chain: EvmChain, { hash, slot, account }: SentTransfer): Promise<NonceUse | null> {
  const nonce = nonceOf(slot)
  const rival = await chain.rpc.use((node) => findNonceUse(chain, node, account, nonce))
  if (!rival || rival.hash === hash.toLowerCase()) return null
  const agreed = await chain.rpc.every(async (node) => {
    const shown = await findNonceUse(chain, node, account, nonce)
    if (shown?.hash !== rival.hash || shown.block.hash !== rival.block.hash) return false
    return (await lookUp(chain, node, hash)).state === 'unknown'
  })
  return agreed.every((isAgreed) => isAgreed) ? rival : null
}
