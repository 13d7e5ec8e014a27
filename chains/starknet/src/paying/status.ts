/**
 * The status of a signed transfer. "Dead" lets a payout be signed again in another slot, so it needs proof: every node
 * names the transaction of our own key that used the nonce, in a final block, and no node knows this one. "Reverted" in
 * a final block needs every node too.
 */
import { quorumStatus } from '@causeway/chain-kit'
import { RetryLater, type SentTransfer, type TransferStatus, type TxHash } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { CODES, header, type Receipt, receipt, transactionStatus, unless } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { confirmationsAt } from '../scanning/confirmations.ts'
import { evidenceOf, findNonceUse, type NonceUse } from './invalidation.ts'
import { nonceOf } from './pay.ts'

export async function status(chain: StarknetChain, sent: SentTransfer): Promise<TransferStatus> {
  const look = (node: Node) => lookUp(chain, node, sent.hash)
  const seen = await chain.rpc.agreed(
    look,
    // Nodes may differ about a pending transaction; that is no fault.
    (found) => ('block' in found ? `${found.state} ${found.block.hash}` : 'waits'),
  )
  if (seen.state !== 'unknown') return quorumStatus(chain, seen, look)
  // The key of an earlier treasury is unknown here: nothing can be proven about it.
  if (sent.account !== chain.treasury) return seen
  const rival = await findRival(chain, sent)
  return rival ? { state: 'dead', evidence: evidenceOf(rival, nonceOf(sent.slot)) } : { state: 'unknown' }
}

async function lookUp(chain: StarknetChain, node: Node, hash: TxHash): Promise<TransferStatus> {
  const [latest, final, found, waiting] = await node.settle([
    header('latest'),
    header('l1_accepted'),
    receipt(hash),
    transactionStatus(hash),
  ])
  const heads = { latest: told(latest), final: told(final) }
  const proof = unless(found, CODES.transactionNotFound)
  if (!proof?.block) {
    const isKnown = proof !== null || unless(waiting, CODES.transactionNotFound) !== null
    return { state: isKnown ? 'pending' : 'unknown' }
  }
  const { block, feeUnits, succeeded } = proof
  await assertCanonical(node, proof)
  const confirmations = confirmationsAt(heads, block.number, chain.network)
  return { state: succeeded ? 'included' : 'reverted', block, confirmations, feeUnits }
}

function told<T>(answer: T): Exclude<T, Error> {
  if (answer instanceof Error) throw answer
  return answer as Exclude<T, Error>
}

export async function assertCanonical(node: Node, { block }: Receipt): Promise<void> {
  if (!block) return
  const [standing] = await node.settle([header(block.number)])
  if (unless(standing, CODES.blockNotFound)?.hash !== block.hash) {
    throw new RetryLater('the block of the transaction is not part of the chain now')
  }
}

/** Another transaction with this nonce. Every node must show the same one in the same block, and not know ours. */
async function findRival(chain: StarknetChain, { hash, slot }: SentTransfer): Promise<NonceUse | null> {
  const nonce = nonceOf(slot)
  const rival = await chain.rpc.use((node) => findNonceUse(chain, node, nonce))
  if (!rival || rival.hash === hash) return null
  const agreed = await chain.rpc.every(async (node) => {
    const shown = await findNonceUse(chain, node, nonce)
    if (shown?.hash !== rival.hash || shown.block.hash !== rival.block.hash) return false
    return (await lookUp(chain, node, hash)).state === 'unknown'
  })
  return agreed.every((isAgreed) => isAgreed) ? rival : null
}
