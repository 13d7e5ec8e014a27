/** Amounts of a mined sweep by address: its moves, as they are in the block. */
import { RetryLater, type SignedTransfer, type SweptAmount, type Token } from '@causeway/core'
import type { OpenChain } from '../chain.ts'

export async function sweptBy({ node }: OpenChain, { hash }: SignedTransfer, token: Token): Promise<SweptAmount[]> {
  const found = await node.transaction(hash)
  if (!found || 'pending' in found) throw new RetryLater('the node does not have the sweep in a block')
  if (found.reverted) return []
  const moves = found.transaction.moves.filter(({ contract }) => contract === token.contract)
  return moves.map(({ from, units }) => ({ address: from, amount: { token, units } }))
}
