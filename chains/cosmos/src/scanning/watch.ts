/**
 * The scan: block by block from the cursor on, each verified to follow its parent. There are no reorgs here. If a block
 * does not follow, the chain was rolled back or the node lies, and the scan stops until an operator has checked.
 */
import { agreedScan, NodeFailure, readAdaptively } from '@causeway/chain-kit'
import type { BlockRef, Cursor, Scan, Watchlist } from '@causeway/core'
import { resultsHash } from '../block.ts'
import type { CosmosChain } from '../chain.ts'
import { blockResults, header } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { haveChanged } from './balance-delta.ts'
import {
  type Block,
  landedIn,
  type ReadBlock,
  readBlock,
  readBlocks,
  readHeader,
  readResults,
  readWhole,
} from './blocks.ts'
import { blocksNaming, namesUs } from './candidates.ts'
import { formatCursor, parseCursor, type Stop } from './cursor.ts'
import { headOf } from './head.ts'
import { sightingsIn } from './sightings.ts'

export function scan(chain: CosmosChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return agreedScan(chain, cursor, {
    scan: () => chain.rpc.use((node) => (cursor === null ? start(chain, node) : scanFrom(chain, node, cursor, ours))),
    blockOf: ({ next }) => parseCursor(next),
    async hashAt(node, number) {
      const [shown] = await node.settle([header(number)])
      return shown instanceof Refusal ? null : shown.hash
    },
  })
}

async function start(chain: CosmosChain, node: Node): Promise<Scan> {
  const { height } = await headOf(chain, node)
  const { number, hash } = await readBlock(chain, node, height)
  const head = { number, hash }
  return { sightings: [], next: formatCursor({ ...head, results: null }), head, scannedTo: number, reorgFrom: null }
}

async function scanFrom(chain: CosmosChain, node: Node, cursor: Cursor, ours: Watchlist): Promise<Scan> {
  const known = parseCursor(cursor)
  const told = await headOf(chain, node)
  // A lagging node has nothing new: the cursor stays.
  if (told.height <= known.number) {
    const head = { number: known.number, hash: known.hash }
    return { sightings: [], next: cursor, head, scannedTo: known.number, reorgFrom: null }
  }
  const count = Math.min(chain.pace.blocks, Number(told.height - known.number))
  const heights = Array.from({ length: count }, (_, at) => known.number + 1n + BigInt(at))
  const { last, results, sightings } = await readAdaptively(chain.pace, async () => {
    const blocks =
      chain.settings.scan === 'events'
        ? await blocksByEvents(chain, node, heights, ours)
        : await readBlocks(chain, node, heights)
    assertLinked(chain, node, known, blocks)
    const reads = await readAll(chain, node, known, blocks, told.height, ours)
    const again = await readAgain(chain, node, known, blocks, told.height)
    return {
      last: reads.at(-1)?.block ?? known,
      results: reads.length > 0 ? unproven(chain, reads, blocks) : known.results,
      sightings: await sightingsIn(chain, node, [...again, ...reads], ours),
    }
  })
  for (const { txHash, block } of sightings) if (block) chain.places.note(txHash, block.number)
  const head = last.number >= told.height ? last : { number: told.height, hash: told.hash }
  return {
    sightings,
    next: formatCursor({ number: last.number, hash: last.hash, results }),
    head: { number: head.number, hash: head.hash },
    scannedTo: last.number,
    reorgFrom: null,
  }
}

/** Reads the last scanned block again if the next header names other results than a node reported then. */
async function readAgain(
  chain: CosmosChain,
  node: Node,
  { number, results }: Stop,
  [next]: readonly Block[],
  head: bigint,
): Promise<ReadBlock[]> {
  if (results === null || !next || next.lastResultsHash === results) return []
  const fields = { network: chain.network.name, block: number }
  chain.log.error(fields, 'a node reported other results of a block than the chain has: it is read again')
  return [await readWhole(chain, node, number, head)]
}

/** The hash of the newest block's results, if they were read and there is no next header yet. */
function unproven({ settings }: CosmosChain, reads: readonly ReadBlock[], blocks: readonly Block[]): string | null {
  const last = reads.at(-1)
  if (!last || last.landed.length === 0 || !settings.checksResults || last.block !== blocks.at(-1)) return null
  return resultsHash(last.landed.map(({ result }) => result))
}

function assertLinked({ network, log }: CosmosChain, node: Node, known: BlockRef, blocks: readonly Block[]): void {
  let before = known
  for (const block of blocks) {
    if (block.parent !== before.hash) {
      const fields = { network: network.name, node: node.name, block: block.number }
      log.error(fields, 'a block does not follow the one before: the chain was rolled back, or a node lies')
      throw new NodeFailure(`node ${node.name} shows a block ${block.number} that does not follow the one before`)
    }
    before = block
  }
}

/** Reads headers and results, and whole blocks only if an event names us: a block may hold megabytes of blobs. */
async function blocksByEvents(
  chain: CosmosChain,
  node: Node,
  heights: readonly bigint[],
  ours: Watchlist,
): Promise<Block[]> {
  const { prefix, checksResults } = chain.settings
  const shown = await Promise.all(
    heights.map(async (height) => {
      const [found, told] = await Promise.all([readHeader(chain, node, height), node.settle([blockResults(height)])])
      return { found, told: told[0] }
    }),
  )
  // Results of the newest block may take a moment: it is read by the next scan.
  const missing = shown.findIndex(({ told }) => told instanceof Refusal)
  if (missing === 0 && heights.length > 1)
    throw new NodeFailure(`node ${node.name} has no results of block ${heights[0]}`)
  const there = missing === -1 ? shown : shown.slice(0, missing)
  const named = there.map(({ found: { number }, told }, at) => {
    if (told instanceof Refusal) return { number, texts: [] }
    const next = there[at + 1]?.found.lastResultsHash
    if (next !== undefined && checksResults && resultsHash(told.results) !== next)
      throw new NodeFailure(`node ${node.name} shows other results of block ${number} than the next header names`)
    const events = [...told.blockEvents, ...told.results.flatMap((result) => result.events)]
    return { number, texts: events.flatMap(({ attributes }) => attributes.map(({ value }) => value)) }
  })
  const hits = await blocksNaming(prefix, named, ours)
  return Promise.all(
    there.map(({ found }) =>
      hits.has(found.number) ? readBlock(chain, node, found.number) : { ...found, transactions: [], isWhole: false },
    ),
  )
}

/**
 * Reads blocks with their results, as far as the node has them; with the setting `candidates` only the results that may
 * concern us.
 */
async function readAll(
  chain: CosmosChain,
  node: Node,
  known: BlockRef,
  blocks: readonly Block[],
  head: bigint,
  ours: Watchlist,
): Promise<ReadBlock[]> {
  if (chain.settings.scan === 'events')
    return withResults(chain, node, blocks, head, ({ isWhole }) => isWhole !== false)
  const hits = chain.settings.scan === 'results' ? null : await namesUs(chain, blocks, ours)
  const isNeeded = (block: Block) => hits === null || hits.has(block.number)
  const reads = await withResults(chain, node, blocks, head, isNeeded)
  if (hits === null || reads.length === 0) return reads
  // Transfers that no transaction names show in our balances.
  const covered = reads.map(({ block }) => block)
  if (!(await haveChanged(chain, node, known, reads, ours))) return reads
  return withResults(chain, node, covered, head, () => true)
}

async function withResults(
  chain: CosmosChain,
  node: Node,
  blocks: readonly Block[],
  head: bigint,
  isNeeded: (block: Block) => boolean,
): Promise<ReadBlock[]> {
  const results = await Promise.all(blocks.map((block) => (isNeeded(block) ? readResults(node, block) : 'not needed')))
  const reads: ReadBlock[] = []
  for (const [at, block] of blocks.entries()) {
    const found = results[at]
    if (found === 'not needed') {
      reads.push({ block, landed: [], events: [] })
      continue
    }
    if (!found) {
      // Results of the newest block may take a moment. A node that never has them cannot be used.
      if (block.number + 1n >= head) break
      throw new NodeFailure(`node ${node.name} has no results of block ${block.number}`)
    }
    reads.push(landedIn(chain, node, block, found, blocks[at + 1]?.lastResultsHash ?? null))
  }
  return reads
}
