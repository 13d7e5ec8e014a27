/**
 * Re-reads one transaction before money moves: whether it is in the chain, at which depth, whether it succeeded, and
 * what it transferred.
 */
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { OpenChain } from '../chain.ts'
import { sightingsIn } from './sightings.ts'

export async function inspect({ network, node }: OpenChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const found = await node.transaction(txHash)
  if (!found) return { state: 'unknown' }
  if ('pending' in found) {
    const sightings = await sightingsIn(network, [{ transaction: found.pending, block: null }], ours)
    return { state: 'pending', sightings }
  }
  const { transaction, block, confirmations, reverted } = found
  if (reverted) return { state: 'failed', block, confirmations }
  return {
    state: 'included',
    block,
    confirmations,
    sightings: await sightingsIn(network, [{ transaction, block }], ours),
  }
}
