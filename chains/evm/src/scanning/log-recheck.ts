/**
 * Rechecks logs deeper down and on another node if there is one. A backend that lags or has pruned its logs omits them
 * silently: an empty answer proves nothing until two backends gave it.
 */
import { NodeFailure } from '@causeway/chain-kit'
import { type BlockRef, RetryLater, type Sighting, type Watchlist } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { header } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { Memory } from './cursor.ts'
import { filterFor, MOST_RECEIVERS, readBlocks } from './native/candidate-blocks.ts'
import { logsBetween } from './ranges.ts'
import { sightingsIn } from './sightings.ts'

/** Depth of the recheck in blocks, its minimum range, and its maximum range after an outage. */
const SECOND_LOOK = { depth: 16n, blocks: 256n, most: 16_000n }

interface Covered {
  covered: Memory
  before: Memory
  head: BlockRef
}

/** Rechecks older blocks. A missed deposit is found here; a known one is reported again as the same deposit. */
export async function secondLook(
  chain: EvmChain,
  node: Node,
  reach: Covered,
  ours: Watchlist,
): Promise<{ sightings: Sighting[]; checkedTo: bigint }> {
  const checkedTo = checkedUpTo(chain, reach)
  const deepest = lower(reach.head.number - SECOND_LOOK.depth, reach.covered.number)
  if (deepest - checkedTo < SECOND_LOOK.blocks) return { sightings: [], checkedTo }
  const to = lower(deepest, checkedTo + SECOND_LOOK.most)
  try {
    const sightings = await chain.rpc.beside(node, (other) => lookAt(chain, other, checkedTo + 1n, to, ours))
    return { sightings, checkedTo: to }
  } catch (error) {
    // The scan continues without the recheck; the next scan repeats it from here on.
    if (error instanceof RetryLater) return { sightings: [], checkedTo }
    throw error
  }
}

async function lookAt(chain: EvmChain, node: Node, from: bigint, to: bigint, ours: Watchlist): Promise<Sighting[]> {
  const receivers = (await ours.listUpTo?.(MOST_RECEIVERS)) ?? null
  const [found, [standing]] = await Promise.all([
    logsBetween(node, filterFor(chain, receivers), from, to),
    node.ask([header(to)]),
  ])
  if (found === null || !standing) throw new NodeFailure(`node ${node.name} has no logs up to block ${to}`)
  return sightingsIn(chain, node, await readBlocks(chain, node, [], found, ours), ours)
}

/** With a single node, blocks that were first read this far below the head are not read again. */
function checkedUpTo({ network }: EvmChain, { covered: { checkedTo, number }, before, head }: Covered): bigint {
  const from = checkedTo ?? before.number
  if (network.nodes.length > 1) return from
  const deep = lower(head.number - SECOND_LOOK.blocks, number)
  return from >= before.number && deep > from ? deep : from
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
