/**
 * The status of a signed transfer. "Dead" lets a payout be signed again with another nonce, so it needs proof: the
 * transaction that used this one, by its own content, at final depth, on every server. A rejection proves nothing (the
 * same bytes may be accepted later), nor does a halted network or an unknown hash.
 */
import { type BlockRef, Bug, type InvalidationProof, type SentTransfer, type TransferStatus } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { account, block, type Entry, transaction } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { headOf } from '../scanning/head.ts'
import { isGenuine, ownNonce, walk } from '../scanning/history.ts'
import { nonceOf } from './slot.ts'

export async function status(
  chain: ZkSyncChain,
  { hash, slot, account: owner }: SentTransfer,
): Promise<TransferStatus> {
  if (owner !== chain.treasury) throw new Bug('not our treasury', { account: owner })
  const nonce = nonceOf(slot)
  const look = async (node: Node): Promise<TransferStatus | null> => {
    const found = await node.ask(transaction(hash))
    if (!found || found.hash !== hash || !isGenuine(found)) return null
    if (found.state === 'queued') return { state: 'pending' }
    return found.state === 'rejected' ? null : landed(node, found)
  }
  // Servers may differ about a pending transfer; that is no fault.
  const seen = await chain.rpc.agreed(look, (found) => (found && 'block' in found ? found.block.hash : 'waits'))
  if (seen) return seen
  const evidence = await deathOf(chain, hash, nonce)
  return evidence ? { state: 'dead', evidence } : { state: 'unknown' }
}

async function landed(node: Node, { operation, blockNumber }: Entry): Promise<TransferStatus | null> {
  if (operation.type !== 'Transfer' || blockNumber === null) return null
  const head = await headOf(node)
  const found = await node.ask(block(blockNumber))
  if (!found) return null
  const { number, hash } = found
  const confirmations = Math.max(1, Number(head.number - number) + 1)
  return { state: 'included', block: { number, hash }, confirmations, feeUnits: operation.fee }
}

interface Rival {
  hash: string
  block: BlockRef
}

/**
 * The proof that the transfer can never be executed; null if there is none. Every server must agree: one that lags, or
 * shows a history without the payout, would otherwise allow a second payment.
 */
async function deathOf(chain: ZkSyncChain, hash: string, nonce: number): Promise<InvalidationProof | null> {
  const isUsed = await chain.rpc.use(async (node) => {
    return (await node.ask(account(chain.treasury, 'finalized'))).nonce > nonce
  })
  if (!isUsed) return null
  const rivals = await chain.rpc.every((node) => rivalOf(chain, node, hash, nonce))
  const [first] = rivals
  if (!first || rivals.some((rival) => rival?.hash !== first.hash || rival.block.hash !== first.block.hash)) return null
  const { hash: usedBy, block: where } = first
  return {
    usedBy,
    block: where,
    reason: `nonce ${nonce} was used by ${usedBy} in block ${where.number}, which is final`,
  }
}

/** Our transaction with this nonce: its hash is computed from its fields, so no server can invent one. */
async function rivalOf(
  { network, treasury }: ZkSyncChain,
  node: Node,
  hash: string,
  nonce: number,
): Promise<Rival | null> {
  const head = await headOf(node)
  for await (const entry of walk(node, treasury)) {
    const own = ownNonce(entry, treasury)
    if (own === null || entry.blockNumber === null) continue
    if (own < nonce) return null
    if (own > nonce) continue
    if (entry.hash === hash || entry.state !== 'finalized' || !isGenuine(entry)) return null
    const found = await node.ask(block(entry.blockNumber))
    if (!found || head.number - found.number + 1n < BigInt(network.finalDepth)) return null
    return { hash: entry.hash, block: { number: found.number, hash: found.hash } }
  }
  return null
}
