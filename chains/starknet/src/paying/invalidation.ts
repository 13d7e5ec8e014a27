/**
 * The proof that a signed transfer can never be mined: the transaction that used its nonce, in a block that is accepted
 * on L1, and signed by our own key, which no node can forge. The block is found by bisecting the account's nonce over
 * blocks, so it never relies on a node not knowing something.
 */
import { firstBlockWhere } from '@causeway/chain-kit'
import type { BlockRef, InvalidationProof, TxHash } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { padded } from '../felt.ts'
import { blockTransactions, CODES, header, nonceAt, type Transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { headsOf } from '../scanning/confirmations.ts'
import { deployAccountHash, invokeHash } from '../transaction.ts'
import { isSignedBy } from './treasury.ts'

export interface NonceUse {
  hash: TxHash
  block: BlockRef
}

/** The transaction that used the nonce; null if none did in a final block, or if this node cannot show which one. */
export async function findNonceUse(chain: StarknetChain, node: Node, nonce: bigint): Promise<NonceUse | null> {
  // One head for the whole proof: all later requests name a block below it.
  const { final } = await headsOf(node)
  const number = await firstBlockWhere((block) => isUsed(chain, node, nonce, block), final.number)
  if (number === null) return null
  const [found, standing] = await node.settle([blockTransactions(number), header(final.number)])
  // A node on another branch, or a lagging one, answered in between.
  if (found instanceof Refusal || standing instanceof Refusal || standing.hash !== final.hash) return null
  if (found.block.number !== number) return null
  const used = found.transactions.map((one) => ownHash(chain, one, nonce)).filter((hash) => hash !== null)
  const [hash, ...more] = used
  return hash === undefined || more.length > 0 ? null : { hash, block: found.block }
}

export function evidenceOf({ hash, block }: NonceUse, nonce: bigint): InvalidationProof {
  const reason = `nonce ${nonce} was used by ${hash} in block ${block.number}, which is final`
  return { usedBy: hash, block, reason }
}

/** The hash of a transaction with this nonce that our key signed, computed from its content; null for any other one. */
function ownHash(chain: StarknetChain, { invoke, deploy }: Transaction, nonce: bigint): TxHash | null {
  const { chainId, account } = chain
  const sender = BigInt(account.address)
  if (invoke && invoke.sender === sender && invoke.nonce === nonce) {
    const hash = invokeHash(chainId, invoke)
    return isSignedBy(account, hash, invoke.signature) ? padded(hash) : null
  }
  if (deploy && deploy.nonce === nonce && deploy.salt === account.salt && deploy.classHash === account.classHash) {
    const hash = deployAccountHash(chainId, { ...deploy, sender })
    return isSignedBy(account, hash, deploy.signature) ? padded(hash) : null
  }
  return null
}

/** Whether the nonce was used up to this block. Null if the node has pruned that state. An account that does not exist has used nothing. */
async function isUsed({ treasury }: StarknetChain, node: Node, nonce: bigint, block: bigint): Promise<boolean | null> {
  const [count] = await node.settle([nonceAt(treasury, block)])
  if (count instanceof Refusal) return count.code === CODES.contractNotFound ? false : null
  return count > nonce
}
