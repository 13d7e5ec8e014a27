/** Re-reads one transaction before money moves: whether it is executed, at which depth, and what it transferred. */
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { transaction } from '../node/calls.ts'
import { headOf } from './head.ts'
import { isGenuine } from './history.ts'
import { sightingsIn } from './sightings.ts'
import { blocksOf } from './watch.ts'

const NAME = /^sync-tx:[0-9a-f]{64}$/

export async function inspect(chain: ZkSyncChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  if (!NAME.test(txHash)) return { state: 'unknown' }
  return chain.rpc.agreed((node) => inspected(chain, node, txHash, ours), named)
}

async function inspected(
  chain: ZkSyncChain,
  node: Parameters<typeof headOf>[0],
  txHash: TxHash,
  ours: Watchlist,
): Promise<Inspection> {
  const entry = await node.ask(transaction(txHash))
  // A rejected transfer does not use its nonce: the same bytes may be accepted later.
  if (!entry || entry.hash !== txHash || entry.state === 'rejected' || !isGenuine(entry)) return { state: 'unknown' }
  if (entry.blockNumber === null) {
    return { state: 'pending', sightings: await sightingsIn(chain, [entry], new Map(), ours) }
  }
  const head = await headOf(node)
  const blocks = await blocksOf(node, [entry])
  const block = blocks.get(entry.blockNumber)
  if (!block) return { state: 'unknown' }
  return {
    state: 'included',
    block: { number: block.number, hash: block.hash },
    confirmations: Math.max(1, Number(head.number - block.number) + 1),
    sightings: await sightingsIn(chain, [entry], blocks, ours),
  }
}

/** The part of an inspection that nodes must agree on; depths may differ. */
function named(inspection: Inspection): string {
  return inspection.state === 'included' ? `included ${inspection.block.hash}` : inspection.state
}
