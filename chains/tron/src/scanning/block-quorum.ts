/**
 * Blocks whose root does not match the content that nodes show. Anyone may give a transaction bytes that nodes keep but
 * do not show, so such a block may be real and must not stop the scan forever. It is accepted if every configured node
 * reports the same, twice if there is only one. If some are offline, all that answer must agree and be more than half
 * and at least the quorum. That proves no invalidation: see `paying/invalidation.ts`.
 */
import { boundedMap, countProviders, providerOfHost } from '@causeway/chain-kit'
import type { ChainLog, Network } from '@causeway/core'
import type { Block } from '../block.ts'

export interface BlockQuorum {
  /** Records a node's report; true once the block is accepted. */
  tells(place: { network: Network; log: ChainLog }, node: string, block: Block): boolean
}

/** Undecided blocks that are kept at a time. */
const MOST_WAITING = 200
/**
 * A single node may have been asked while it was still writing. It must report the block this often, because no other
 * node could prove it.
 */
const LEAST_TELLINGS = 2

export function openBlockQuorum(): BlockQuorum {
  /** How often each provider has reported each block. */
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
