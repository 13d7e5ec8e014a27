/** Re-reads one transfer before money moves: whether it is in a batch, at which depth, and what it transferred. */
import { inspectionKey } from '@causeway/chain-kit'
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { transfer } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { depthOf } from '../paying/status.ts'
import { sightingsIn } from './sightings.ts'

const ID = /^[1-9]\d{0,15}$/

export async function inspect(chain: StarkExChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  if (!ID.test(txHash)) return { state: 'unknown' }
  return chain.rpc.agreed((node) => inspected(chain, node, txHash, ours), inspectionKey)
}

async function inspected(chain: StarkExChain, node: Node, id: string, ours: Watchlist): Promise<Inspection> {
  const found = await node.ask(transfer(id)).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'transfer_not_found') return null
    throw error
  })
  if (!found || found.entry.id !== id) return { state: 'unknown' }
  const { entry, head } = found
  const sightings = await sightingsIn(chain, [{ entry, block: entry.batch }], ours)
  if (!entry.batch) return { state: 'pending', sightings }
  return { state: 'included', block: entry.batch, confirmations: depthOf(head, entry.batch), sightings }
}
