/** The scan: reads deposits block by block from the cursor on, and rolls back a reorg first. */
import {
  appendHeaders,
  type Fork,
  findForkPoint,
  formatHeaderWindow,
  type HeaderWindow,
  headerWindowFrom,
  lowestHeader,
  parseHeaderWindow,
  takeLinked,
  truncateHeaders,
} from '@causeway/chain-kit'
import type { Cursor, Network, Scan, Sighting, Watchlist } from '@causeway/core'
import type { OpenChain } from '../chain.ts'
import type { Block } from '../node/node.ts'
import { readSettings } from '../settings.ts'
import { sightingsIn } from './sightings.ts'

/** Maximum blocks per scan, so that a backfill is stored in steps. */
const BATCH = 100

export async function scan(chain: OpenChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  const { network, node } = chain
  const waiting = readSettings(network).watchesMempool ? await sightWaiting(chain, ours) : []
  if (cursor === null) return start(chain, waiting)
  const trail = parseHeaderWindow(cursor)
  const above = await node.blocks(trail.top, BATCH + 1)
  const unchanged = above.blocks[0] !== undefined && above.blocks[0].hash === trail.hashes[0]
  const fork = unchanged ? null : await findFork(chain, trail)
  const known = fork ? truncateHeaders(trail, fork.common) : trail
  const { head, blocks } = fork ? await node.blocks(known.top, BATCH + 1) : above
  const linked = takeLinked(known, blocks.slice(1))
  const landed = await sightingsIn(network, linked.flatMap(candidates), ours)
  const next = appendHeaders(known, linked, memoryOf(network))
  return {
    sightings: [...landed, ...waiting],
    next: formatHeaderWindow(next),
    head,
    scannedTo: next.top,
    reorgFrom: fork?.replaced ? fork.common + 1n : null,
  }
}

async function start({ network, node }: OpenChain, sightings: Sighting[]): Promise<Scan> {
  const newest = (await node.blocks(0n, 0)).head.number
  const memory = memoryOf(network)
  const lowest = newest >= BigInt(memory) ? newest - BigInt(memory) + 1n : 0n
  const { head, blocks } = await node.blocks(lowest, memory)
  const [first, ...rest] = blocks
  const next = first ? appendHeaders(headerWindowFrom(first), rest, memory) : headerWindowFrom(head)
  return { sightings, next: formatHeaderWindow(next), head, scannedTo: next.top, reorgFrom: null }
}

async function findFork({ node, log, network }: OpenChain, trail: HeaderWindow): Promise<Fork & { common: bigint }> {
  const lowest = lowestHeader(trail)
  const { common, replaced } = findForkPoint(trail, (await node.blocks(lowest, trail.hashes.length)).blocks)
  if (common === null)
    log.error({ network: network.name, below: lowest }, 'a reorg goes deeper than the cursor remembers')
  return { common: common ?? 0n, replaced }
}

function candidates({ number, hash, transactions }: Block) {
  return transactions
    .filter(({ reverted }) => !reverted)
    .map(({ transaction }) => ({ transaction, block: { number, hash } }))
}

async function sightWaiting({ network, node }: OpenChain, ours: Watchlist): Promise<Sighting[]> {
  const pending = await node.pending()
  return sightingsIn(
    network,
    pending.map((transaction) => ({ transaction, block: null })),
    ours,
  )
}

/** The number of remembered block hashes: twice the final depth, because no reorg should go deeper than final. */
function memoryOf(network: Network): number {
  return 2 * network.finalDepth + 1
}
