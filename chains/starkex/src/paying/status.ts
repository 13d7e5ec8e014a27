/**
 * The status of a signed transfer. Everything known here comes from the operator, so "dead" needs what it cannot
 * invent: another message with this nonce, with our own signature, in a final batch, on every path. An unlisted,
 * rejected or expired message proves nothing; an expired one is signed again with the same nonce.
 */
import { type BlockRef, Bug, type SentTransfer, type TransferStatus } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { type Entry, sentUnder } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { isSignedBy } from '../signature.ts'
import { messageHash, nameOf } from '../transaction.ts'
import { type Place, placeOf } from './slot.ts'

export async function status(chain: StarkExChain, sent: SentTransfer): Promise<TransferStatus> {
  const { hash, slot, account } = sent
  if (account !== chain.keys.address) throw new Bug('not our treasury', { account })
  const place = placeOf(slot)
  const look = (node: Node) => lookedAt(chain, node, place, hash)
  // Paths may differ about a pending transfer; that is no fault.
  const seen = await chain.rpc.agreed(look, (found) => ('block' in found ? found.block.hash : 'waits'))
  if (seen.state !== 'dead') return seen
  const all = await chain.rpc.every(look)
  const isAgreed = all.every((one) => one.state === 'dead' && isSameEnd(one.evidence, seen.evidence))
  return isAgreed ? seen : { state: 'unknown' }
}

function isSameEnd(one: { usedBy: string | null; block: BlockRef }, other: typeof one): boolean {
  return one.usedBy === other.usedBy && one.block.hash === other.block.hash
}

async function lookedAt(
  { network, keys }: StarkExChain,
  node: Node,
  { nonce, vault }: Place,
  hash: string,
): Promise<TransferStatus> {
  const { head, entries } = await node.ask(sentUnder(keys.address, nonce))
  // Only a message with our own signature is accepted as ours.
  const ours = entries.filter(({ message, signature }) => {
    const signed = hashOf(message)
    return (
      signed !== null &&
      message.nonce === nonce &&
      message.senderVault === vault &&
      isSignedBy(keys.starkKey, signed, signature)
    )
  })
  const mine = ours.find((entry) => isNamed(entry, hash))
  if (mine && !mine.batch) return { state: 'pending' }
  if (mine?.batch) {
    const confirmations = depthOf(head, mine.batch)
    return { state: 'included', block: mine.batch, confirmations, feeUnits: 0n, alias: mine.id }
  }
  const rival = ours.find(({ batch }) => batch !== null)
  if (!rival?.batch || depthOf(head, rival.batch) < network.finalDepth) return { state: 'unknown' }
  const usedBy = nameOf(messageHash(rival.message))
  const reason = `nonce ${nonce} was used by ${usedBy} in batch ${rival.batch.number}, which is final`
  return { state: 'dead', evidence: { usedBy, block: rival.batch, reason } }
}

function isNamed({ message }: Entry, hash: string): boolean {
  const found = hashOf(message)
  return found !== null && nameOf(found) === hash
}

function hashOf(message: Entry['message']): bigint | null {
  try {
    return messageHash(message)
  } catch {
    return null
  }
}

export function depthOf(head: BlockRef, batch: BlockRef): number {
  return Math.max(1, Number(head.number - batch.number) + 1)
}
