/** The re-read of one transaction before money moves: is it in the chain, how deep, did it succeed, and what did it bring. */
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
