/** The scan: from the cursor on, block by block, what came to us; a reorg is walked back first. */
import type { Cursor, Network, Scan, Sighting, Watchlist } from '@causeway/core'
import type { OpenChain } from '../chain.ts'
import type { Block } from '../node/node.ts'
import { readSettings } from '../settings.ts'
import { extend, formatCursor, hashAt, parseCursor, shorten, type Trail, trailOf } from './cursor.ts'
import { sightingsIn } from './sightings.ts'

/** Blocks a scan covers at most, so that catching up is done in stretches that are stored. */
const BATCH = 100

export async function scan(chain: OpenChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  const { network, node } = chain
  const waiting = readSettings(network).watchesMempool ? await sightWaiting(chain, ours) : []
  if (cursor === null) return start(chain, waiting)
  const trail = parseCursor(cursor)
  const above = await node.blocks(trail.top, BATCH + 1)
  const unchanged = above.blocks[0] !== undefined && above.blocks[0].hash === trail.hashes[0]
  const fork = unchanged ? null : await findFork(chain, trail)
  const known = fork ? shorten(trail, fork.common) : trail
  const { head, blocks } = fork ? await node.blocks(known.top, BATCH + 1) : above
  const linked = linkedTo(known, blocks.slice(1))
  const landed = await sightingsIn(network, linked.flatMap(candidates), ours)
  const next = extend(known, linked, memoryOf(network))
  return {
    sightings: [...landed, ...waiting],
    next: formatCursor(next),
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
  const next = first ? extend({ top: first.number, hashes: [first.hash] }, rest, memory) : trailOf(head)
  return { sightings, next: formatCursor(next), head, scannedTo: next.top, reorgFrom: null }
}

/**
 * The newest block that the node and the cursor agree on. A node that only lags replaced nothing: it agrees with the
 * cursor as far as it goes, and the cursor stays where it is.
 */
async function findFork(
  { node, log, network }: OpenChain,
  trail: Trail,
): Promise<{ common: bigint; replaced: boolean }> {
  const lowest = trail.top - BigInt(trail.hashes.length) + 1n
  const { blocks } = await node.blocks(lowest, trail.hashes.length)
  const agreed = blocks.filter((block) => hashAt(trail, block.number) === block.hash)
  const newest = agreed.at(-1)
  if (newest && agreed.length === blocks.length) return { common: trail.top, replaced: false }
  if (newest) return { common: newest.number, replaced: true }
  if (blocks.length === 0) return { common: trail.top, replaced: false }
  log.error({ network: network.name, below: lowest }, 'a reorg goes deeper than the cursor remembers')
  return { common: 0n, replaced: true }
}

/** The node's view may change between two calls: what does not continue our branch waits for the next scan. */
function linkedTo(known: Trail, blocks: readonly Block[]): Block[] {
  const linked: Block[] = []
  let parent = known.hashes[0]
  for (const block of blocks) {
    if (parent !== undefined && block.parent !== parent) break
    linked.push(block)
    parent = block.hash
  }
  return linked
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

/** Twice the final depth: a reorg that reaches deeper has broken the network's own promise. */
function memoryOf(network: Network): number {
  return 2 * network.finalDepth + 1
}
