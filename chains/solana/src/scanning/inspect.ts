/**
 * Re-reads one transaction before money moves: whether it is in the chain, how deep, whether it succeeded, and what it
 * transferred.
 */
import { inspectionKey } from '@causeway/chain-kit'
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { locate } from './locate-tx.ts'
import { sightingsIn } from './sightings.ts'

export async function inspect(chain: SolanaChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  return chain.rpc.agreed(async (node): Promise<Inspection> => {
    const found = await locate(chain.network, node, txHash)
    if (found.state === 'pending') return { state: 'pending', sightings: [] }
    if (found.state !== 'landed') return { state: 'unknown' }
    const { transaction, block, confirmations } = found
    if (transaction.failed) return { state: 'failed', block, confirmations }
    const sightings = await sightingsIn(chain, node, [{ transaction, block }], ours)
    return { state: 'included', block, confirmations, sightings }
  }, inspectionKey)
}
