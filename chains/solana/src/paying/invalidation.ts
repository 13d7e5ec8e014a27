/**
 * The proof that a signed transfer can never be mined. At finalized depth its nonce account has another value. The
 * account's history, complete back to when the value was seen, does not contain this transaction, and names the one
 * that consumed the value.
 */
import type { BlockRef, InvalidationProof, SentTransfer, TxHash } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { accounts, blockRoot, signatureStatus, signaturesFor, TOO_EARLY_CODE, transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { LandedTransaction } from '../transaction.ts'
import { type NonceUse, nonceOf, nonceValue } from './nonce.ts'

/**
 * Other senders may name our account without using its nonce: this many transactions are searched for the one that did.
 */
const MOST_CANDIDATES = 20

/** Every node must agree: one that lags, or forgets old transactions, would otherwise allow a second payment. */
export async function deathOf(chain: SolanaChain, { hash, slot }: SentTransfer): Promise<InvalidationProof | null> {
  const use = nonceOf(slot)
  const isMoved = await chain.rpc.use(async (node) => (await movedAt(chain, node, use)) !== null)
  if (!isMoved) return null
  const proofs = await chain.rpc.every((node) => userOf(chain, node, use, hash))
  const [first] = proofs
  if (!first || proofs.some((proof) => proof?.hash !== first.hash)) return null
  const { hash: usedBy, block } = first
  const reason = `the value of nonce account ${use.account} was used by ${usedBy} in slot ${block.number}, which is final`
  return { usedBy, block, reason }
}

interface NonceUser {
  hash: TxHash
  block: BlockRef
}

async function userOf(chain: SolanaChain, node: Node, use: NonceUse, hash: TxHash): Promise<NonceUser | null> {
  const movedBy = await movedAt(chain, node, use)
  if (movedBy === null) return null
  // Read after the value: whatever changed it is in the history by now.
  const [history, seen] = await node.settle([signaturesFor(use.account, movedBy), signatureStatus(hash)])
  if (seen instanceof Refusal) throw seen
  if (isTooEarly(history)) return null
  const isComplete = history.some((entry) => entry.slot <= use.seenAt)
  if (!isComplete || seen !== null || history.some((entry) => entry.signature === hash)) return null
  const since = history.filter((entry) => entry.slot >= use.seenAt).toReversed()
  for (const { signature } of since.slice(0, MOST_CANDIDATES)) {
    const [found] = await node.ask([transaction(signature)])
    if (!found) return null
    if (!usesUp(found, use)) continue
    const [root] = await node.ask([blockRoot(found.slot)])
    return { hash: signature, block: { number: found.slot, hash: root.hash } }
  }
  return null
}

/**
 * Whether the transaction consumed the nonce value. Naming the value advances the nonce even if the rest failed, and no
 * later transaction can do it again. An advanced account alone proves nothing: a list may lack the payout in question
 * and show the next one.
 */
function usesUp({ lifetime, accounts: involved }: LandedTransaction, use: NonceUse): boolean {
  return lifetime === use.value && involved.includes(use.account)
}

/** The finalized slot at which the account had another value; null if it still has the value. */
async function movedAt({ treasury }: SolanaChain, node: Node, use: NonceUse): Promise<bigint | null> {
  // An older view could show the value before this one, which would look the same, so a minimum slot is requested.
  const [found] = await node.settle([accounts([use.account], 'finalized', use.seenAt)])
  if (isTooEarly(found)) return null
  const value = nonceValue(found.accounts[0] ?? null, treasury)
  return value === null || value === use.value ? null : found.slot
}

/** Whether the data is not final yet: neither a failure nor a proof. */
function isTooEarly(answer: unknown): answer is Refusal {
  if (!(answer instanceof Refusal)) return false
  if (answer.code !== TOO_EARLY_CODE) throw answer
  return true
}
