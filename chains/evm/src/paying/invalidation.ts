/**
 * The proof that a signed transfer can never land: the transaction that used its nonce, by hash, in a final block. It
 * is found by bisecting the account's nonce over blocks, so it never relies on a node not knowing something. Backends
 * of different age may answer behind one address, but none can show another transaction in place of ours.
 */
import { firstBlockWhere } from '@causeway/chain-kit'
import type { Address, BlockRef, InvalidationProof, TxHash } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { fullBlock, type Header, header, transactionCount } from '../node/calls.ts'
import { finalHeight } from '../node/finality.ts'
import { type Node, Refusal } from '../node/node.ts'

/** The transaction in a final block that used an account's nonce. */
export interface NonceUse {
  hash: TxHash
  block: BlockRef
}

/** The transaction that used the nonce; null if none did at final depth, or if this node cannot show which one. */
export async function findNonceUse(
  chain: EvmChain,
  node: Node,
  account: Address,
  nonce: bigint,
): Promise<NonceUse | null> {
  // One head for the whole proof: all later requests name a block below it.
  const [head] = await node.ask([header('latest')])
  if (!head) return null
  const final = await finalHeight(chain, node, head.number)
  const number = await firstBlockWhere((block) => isPast(node, account, nonce, block), final)
  if (number === null) return null
  const [block, standing] = await node.ask([fullBlock(number), header(head.number)])
  // A node on another branch, or a lagging one, answered in between.
  if (!block || block.number !== number || !isSame(standing, head)) return null
  const from = account.toLowerCase()
  const used = block.transactions.find((one) => one.from === from && one.nonce === nonce)
  return used ? { hash: used.hash, block: { number, hash: block.hash } } : null
}

export function evidenceOf({ hash, block }: NonceUse, nonce: bigint): InvalidationProof {
  const reason = `nonce ${nonce} was used by ${hash} in block ${block.number}, which is final`
  return { usedBy: hash, block, reason }
}

/** Whether the nonce was used up to this block. Null if the node has pruned that state. */
async function isPast(node: Node, account: Address, nonce: bigint, block: bigint): Promise<boolean | null> {
  const [count] = await node.settle([transactionCount(account, block)])
  return count instanceof Refusal ? null : count > nonce
}

function isSame(standing: Header | null, head: Header): boolean {
  return standing?.hash === head.hash
}
