/**
 * What became of a transfer that was signed. "Dead" lets a payout be signed again in another slot, so it takes proof:
 * at final depth something else has used the nonce, and no node knows this transaction.
 */
import { type Address, RetryLater, type Slot, type TransferStatus, type TxHash } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { header, receipt, transaction, transactionCount } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { assertCanonical, confirmationsAt } from '../scanning/inspect.ts'
import { nonceOf } from './pay.ts'

export interface Sent {
  hash: TxHash
  slot: Slot
  account: Address
}

export async function status(chain: EvmChain, sent: Sent): Promise<TransferStatus> {
  const seen = await chain.rpc.use((node) => lookUp(node, sent.hash))
  if (seen.state !== 'unknown') return seen
  return (await isDead(chain, sent)) ? { state: 'dead' } : { state: 'unknown' }
}

async function lookUp(node: Node, hash: TxHash): Promise<TransferStatus> {
  const [head, found, proof] = await node.ask([header('latest'), transaction(hash), receipt(hash)])
  if (!head) throw new RetryLater('the node has no head')
  if (!proof) return { state: found ? 'pending' : 'unknown' }
  await assertCanonical(node, proof)
  const { block, feeUnits } = proof
  const confirmations = confirmationsAt(head.number, proof)
  return { state: proof.success ? 'included' : 'reverted', block, confirmations, feeUnits }
}

/** Every node must agree: one that lags, or forgets old transactions, would otherwise allow a second payment. */
async function isDead(chain: EvmChain, { hash, slot, account }: Sent): Promise<boolean> {
  const nonce = nonceOf(slot)
  const isPassed = await chain.rpc.use((node) => isNoncePassed(chain, node, account, nonce))
  if (!isPassed) return false
  const agreed = await chain.rpc.every(async (node) => {
    if (!(await isNoncePassed(chain, node, account, nonce))) return false
    // Read after the nonce: a transaction that used it would be found by now.
    const { state } = await lookUp(node, hash)
    return state === 'unknown'
  })
  return agreed.every((dead) => dead)
}

async function isNoncePassed(chain: EvmChain, node: Node, account: Address, nonce: bigint): Promise<boolean> {
  const [head] = await node.ask([header('latest')])
  if (!head) throw new RetryLater('the node has no head')
  const final = head.number - BigInt(chain.network.finalDepth)
  if (final < 0n) return false
  // A node that has pruned that state proves nothing.
  const [count] = await node.settle([transactionCount(account, final)])
  return !(count instanceof Refusal) && count > nonce
}
