/**
 * Reading deposits: `scan` walks the blocks from a cursor on, `inspect` looks at one transaction. The cursor remembers
 * the hashes of the blocks behind it, so that a reorg is found and walked back without asking anybody what was there.
 */
import type { BlockRef, ChainLog, Cursor, Inspection, Network, Scan, Sighting, TxHash, Watchlist } from '@causeway/core'
import type { Block } from './blockchain.ts'
import { sightingsIn } from './deposit.ts'
import type { SimulatedNode } from './node.ts'
import { readSettings } from './settings.ts'

/** Blocks a scan covers at most, so that catching up is done in stretches that are stored. */
const BATCH = 100

export interface Watching {
  network: Network
  node: SimulatedNode
  log: ChainLog
}

export async function scan(watching: Watching, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  const { network, node } = watching
  const waiting = readSettings(network).watchesMempool ? await sightWaiting(watching, ours) : []
  if (cursor === null) return start(watching, waiting)
  const trail = readCursor(cursor)
  const above = await node.blocks(trail.top, BATCH + 1)
  const unchanged = above.blocks[0] !== undefined && above.blocks[0].hash === trail.hashes[0]
  const fork = unchanged ? null : await findFork(watching, trail)
  const known = fork ? shorten(trail, fork.common) : trail
  const { head, blocks } = fork ? await node.blocks(known.top, BATCH + 1) : above
  const linked = linkedTo(known, blocks.slice(1))
  const landed = await sightingsIn(network, linked.flatMap(candidates), ours)
  const next = extend(known, linked, memoryOf(network))
  return {
    sightings: [...landed, ...waiting],
    next: writeCursor(next),
    head,
    scannedTo: next.top,
    reorgFrom: fork?.replaced ? fork.common + 1n : null,
  }
}

export async function inspect({ network, node }: Watching, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const found = await node.transaction(txHash)
  if (!found) return { state: 'unknown' }
  if ('pending' in found) {
    const sightings = await sightingsIn(network, [{ transaction: found.pending, block: null }], ours)
    return { state: 'pending', sightings }
  }
  const { transaction, block, confirmations, reverted } = found
  if (reverted) return { state: 'failed', block, confirmations }
  return {
    state: 'included',
    block,
    confirmations,
    sightings: await sightingsIn(network, [{ transaction, block }], ours),
  }
}

/** The blocks that were scanned: the newest one's number, and hashes from it downwards. */
interface Trail {
  top: bigint
  hashes: readonly string[]
}

async function start({ network, node }: Watching, sightings: Sighting[]): Promise<Scan> {
  const newest = (await node.blocks(0n, 0)).head.number
  const memory = memoryOf(network)
  const lowest = newest >= BigInt(memory) ? newest - BigInt(memory) + 1n : 0n
  const { head, blocks } = await node.blocks(lowest, memory)
  const [first, ...rest] = blocks
  const next = first ? extend({ top: first.number, hashes: [first.hash] }, rest, memory) : trailOf(head)
  return { sightings, next: writeCursor(next), head, scannedTo: next.top, reorgFrom: null }
}

/**
 * The newest block that the node and the cursor agree on. A node that only lags replaced nothing: it agrees with the
 * cursor as far as it goes, and the cursor stays where it is.
 */
async function findFork(
  { node, log, network }: Watching,
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

async function sightWaiting({ network, node }: Watching, ours: Watchlist): Promise<Sighting[]> {
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

function trailOf({ number, hash }: BlockRef): Trail {
  return { top: number, hashes: [hash] }
}

function hashAt({ top, hashes }: Trail, number: bigint): string | undefined {
  return hashes[Number(top - number)]
}

function shorten({ top, hashes }: Trail, common: bigint): Trail {
  return { top: common, hashes: hashes.slice(Number(top - common)) }
}

function extend(trail: Trail, blocks: readonly Block[], memory: number): Trail {
  const fresh = blocks.map(({ hash }) => hash).toReversed()
  return { top: trail.top + BigInt(blocks.length), hashes: [...fresh, ...trail.hashes].slice(0, memory) }
}

function readCursor(cursor: Cursor): Trail {
  const [top = '0', ...hashes] = cursor.split(' ')
  return { top: BigInt(top), hashes }
}

function writeCursor({ top, hashes }: Trail): Cursor {
  return [top, ...hashes].join(' ')
}
