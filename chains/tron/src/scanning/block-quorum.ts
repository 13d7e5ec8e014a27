/**
 * Blocks whose root is not that of what nodes show. Anybody may give a transaction bytes that nodes keep and show to nobody, so
 * such a block may be real, and must not stop the scan for ever. It counts where every node that is named tells the same of
 * it, twice where there is one only; where some are away, once those who answer have all been asked and are more than half, and as
 * many as must agree. That proves no death: see `paying/invalidation.ts`.
 */
import { boundedMap, countProviders, providerOfHost } from '@causeway/chain-kit'
import type { ChainLog, Network } from '@causeway/core'
import type { Block } from '../block.ts'

export interface BlockQuorum {
  /** Whether it counts by now. */
  tells(place: { network: Network; log: ChainLog }, node: string, block: Block): boolean
}

/** Blocks that are waited with at a time. */
const MOST_WAITING = 200
/** A single node may have been asked while it was still writing. Who is asked again: nobody else could prove it meanwhile. */
const LEAST_TELLINGS = 2

export function openBlockQuorum(): BlockQuorum {
  /** How often each provider has told it. */
  const waiting = boundedMap<string, Map<string, number>>(MOST_WAITING)
  return {
    tells({ network, log }, node, { id, number, transactions }) {
      const words = transactions.map((one) => `${one.id} ${one.isSuccess}`)
      const key = JSON.stringify([id, words])
      const isNew = !waiting.has(key)
      const told = waiting.get(key) ?? new Map<string, number>()
      const provider = providerOfHost(node)
      told.set(provider, (told.get(provider) ?? 0) + 1)
      waiting.set(key, told)
      if (isNew)
        log.error({ network: network.name, node, block: number, id }, 'a block does not hold what its header says')
      return counts(network, told)
    },
  }
}

function counts({ nodes, quorum = 1 }: Network, told: ReadonlyMap<string, number>): boolean {
  const named = countProviders(nodes)
  if (named > 1 && told.size >= named) return true
  const enough = Math.min(named, Math.max(quorum, Math.floor(named / 2) + 1))
  return told.size >= enough && Math.max(...told.values()) >= LEAST_TELLINGS
}
