/** Re-reads one transaction before money moves: in which block it is and what it paid us. A deposit is credited by this alone. */
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { isTxId, locate } from './locate-tx.ts'
import { sightingsIn } from './sightings.ts'

export function inspect(chain: FuelChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const txId = txHash.toLowerCase()
  if (!isTxId(txId)) return Promise.resolve({ state: 'unknown' })
  return chain.rpc.agreed((node) => look(chain, node, txId, ours), nameOf)
}

async function look(chain: FuelChain, node: Node, txId: string, ours: Watchlist): Promise<Inspection> {
  const found = await locate(chain, node, txId)
  if (found.state === 'unknown') return { state: 'unknown' }
  if (found.state === 'pending') return { state: 'pending', sightings: [] }
  const { landed, confirmations, isSuccess } = found
  const { block } = landed
  const sightings = await sightingsIn(chain, node, [landed], ours)
  // A script that fails still pays its coin outputs: the money is there, so the deposit did not fail.
  if (!isSuccess && sightings.length === 0) return { state: 'failed', block, confirmations }
  return { state: 'included', block, confirmations, sightings }
}

/** The part of an inspection that nodes must agree on: nodes that are a block apart give the same text. */
function nameOf(inspection: Inspection): string {
  const said = 'confirmations' in inspection ? { ...inspection, confirmations: 0 } : inspection
  return JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}
