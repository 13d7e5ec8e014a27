/**
 * Blocks whose root is not that of what nodes show. Anybody may give a transaction bytes that nodes keep and show to nobody, so
 * such a block may be real, and must not stop the scan for ever. It counts where every node that is named tells the same of
 * it, twice where there is one only. No proof of death rests on it.
 */
import type { ChainLog, Network } from '@causeway/core'
import type { Block } from '../block.ts'

export interface Vouching {
  /** Whether it counts by now. */
  tells(place: { network: Network; log: ChainLog }, node: string, block: Block): boolean
}

/** Blocks that are waited with at a time. */
const MOST_WAITING = 200
/** A single node may have been asked while it was still writing. */
const LEAST_TELLINGS = 2

export function openVouching(): Vouching {
  const waiting = new Map<string, { nodes: Set<string>; tellings: number }>()
  return {
    tells({ network, log }, node, { id, number, transactions }) {
      const words = transactions.map((one) => `${one.id} ${one.isSuccess}`)
      const key = JSON.stringify([id, words])
      const isNew = !waiting.has(key)
      const told = waiting.get(key) ?? { nodes: new Set(), tellings: 0 }
      told.nodes.add(node)
      told.tellings += 1
      waiting.set(key, told)
      const [oldest] = waiting.keys()
      if (waiting.size > MOST_WAITING && oldest !== undefined) waiting.delete(oldest)
      if (isNew)
        log.error({ network: network.name, node, block: number, id }, 'a block does not hold what its header says')
      return told.tellings >= LEAST_TELLINGS && told.nodes.size >= new Set(network.nodes.map(hostOf)).size
    },
  }
}

/** Nodes are called by it. */
function hostOf(url: string): string {
  return new URL(url).host
}
