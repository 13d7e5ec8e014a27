/** Re-reads one transaction before money moves: in which block it is and what it paid us. A deposit is credited by this alone. */
import { inspectionKey } from '@causeway/chain-kit'
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { type Located, locate } from './locate-tx.ts'
import { sightingsIn } from './sightings.ts'

export async function inspect(chain: BitcoinChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  if (!/^[0-9a-f]{64}$/i.test(txHash)) return { state: 'unknown' }
  const txid = txHash.toLowerCase()
  const look = async (node: Node): Promise<Inspection> => inspected(chain, node, await locate(node, txid), ours)
  const found = await firstFound(chain, look)
  // Money moves only for mined deposits: with a quorum, one node's answer is not enough.
  return mustAgree(chain) && found.state === 'included' ? chain.rpc.agreed(look, inspectionKey) : found
}

async function firstFound(chain: BitcoinChain, look: (node: Node) => Promise<Inspection>): Promise<Inspection> {
  const first = await chain.rpc.use(look)
  if (first.state !== 'unknown' || chain.network.nodes.length < 2) return first
  // Mempools differ, so a transaction is unknown only if no node has it.
  const all = await chain.rpc.every(look)
  return all.find(({ state }) => state === 'included') ?? all.find(({ state }) => state === 'pending') ?? first
}

async function inspected(chain: BitcoinChain, node: Node, found: Located, ours: Watchlist): Promise<Inspection> {
  if (found.state === 'unknown') return found
  const { transaction } = found
  if (found.state === 'pending') {
    return { state: 'pending', sightings: await sightingsIn(chain, node, [{ transaction, block: null }], ours) }
  }
  const { block: at, confirmations } = found
  const sightings = await sightingsIn(chain, node, [{ transaction, block: at }], ours)
  return { state: 'included', block: at, confirmations, sightings }
}

function mustAgree({ network: { quorum = 1 } }: BitcoinChain): boolean {
  return quorum > 1
}
