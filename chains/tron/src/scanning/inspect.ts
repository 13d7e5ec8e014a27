/**
 * Re-reads one transaction before money moves: its block proves it, and with a quorum enough nodes must agree on its
 * effect.
 */
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import { refOf } from '../block.ts'
import type { TronChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { landedOn } from './locate-tx.ts'
import { sightingsIn } from './sightings.ts'

export async function inspect(chain: TronChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const hash = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(txHash)?.[1]?.toLowerCase()
  if (hash === undefined) return { state: 'unknown' }
  return chain.rpc.agreed((node) => inspectOn(chain, node, hash, ours), named)
}

async function inspectOn(chain: TronChain, node: Node, hash: TxHash, ours: Watchlist): Promise<Inspection> {
  const found = await landedOn(chain, node, hash)
  if (!('block' in found)) return found.state === 'pending' ? { state: 'pending', sightings: [] } : { state: 'unknown' }
  const { block, confirmations, transaction } = found
  if (!transaction.isSuccess) return { state: 'failed', block: refOf(block), confirmations }
  const alone = { ...block, transactions: [transaction], receipts: [found.receipt] }
  return {
    state: 'included',
    block: refOf(block),
    confirmations,
    sightings: await sightingsIn(chain, node, [alone], ours),
  }
}

/** The part of an inspection that nodes must agree on; depths may differ. */
function named(found: Inspection): string {
  const { state } = found
  if (state === 'unknown' || state === 'pending') return 'waits'
  const sightings = state === 'included' ? found.sightings : []
  return JSON.stringify([state, found.block, sightings], (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}
