/**
 * The status of a signed transfer. "Dead" lets a payout be signed again in another slot, so it needs proof: the
 * transaction that used one of its sequences, signed by our key, read from its block at final depth, the same on every
 * node. A passed timeout, an empty index or a sequence used by an unknown transaction prove nothing. "Reverted" at
 * final depth also frees the slot and needs every node.
 */
import { quorumStatus } from '@causeway/chain-kit'
import type { SentTransfer, SignedBefore, TransferStatus } from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { contentOf } from '../transaction.ts'
import { findUse, type Use } from './invalidation.ts'
import { formatPart, partsOf } from './slot.ts'

export async function status(
  chain: CosmosChain,
  sent: SentTransfer,
  signedBefore: SignedBefore,
): Promise<TransferStatus> {
  const signed = await signedBefore(sent.hash)
  const content = signed ? contentOf(Uint8Array.from(Buffer.from(signed.bytes, 'base64'))) : null
  const look = (node: Node) => lookUp(chain, node, sent, content)
  const seen = await chain.rpc.agreed(look, (found) =>
    'block' in found ? `${found.state} ${found.block.hash}` : 'not there',
  )
  return quorumStatus(chain, seen, look)
}

async function lookUp(
  chain: CosmosChain,
  node: Node,
  { hash, slot }: SentTransfer,
  content: string | null,
): Promise<TransferStatus> {
  const rivals: { part: string; use: Extract<Use, { state: 'used' }> }[] = []
  for (const part of partsOf(slot)) {
    const use = await findUse(chain, node, part, { hash, content })
    if (use.state !== 'used') continue
    const { block, confirmations, feeUnits, isReverted } = use
    const state = isReverted ? 'reverted' : 'included'
    if (use.hash === hash) return { state, block, confirmations, feeUnits }
    // The same content in another envelope: it is mined, under another hash.
    if (content !== null && use.content === content) return { state, block, confirmations, feeUnits, alias: use.hash }
    if (use.isProven) rivals.push({ part: formatPart(part), use })
  }
  const final = rivals.find(({ use }) => use.confirmations >= chain.network.finalDepth)
  if (!final) return { state: 'unknown' }
  const { part, use } = final
  const reason = `number ${part} was used by ${use.hash} in block ${use.block.number}, which is final`
  return { state: 'dead', evidence: { usedBy: use.hash, block: use.block, reason } }
}
