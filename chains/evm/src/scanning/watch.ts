/**
 * The scan: transfers to us, block by block from the cursor on. It takes one request per poll while nothing happens,
 * two for a block without a deposit, three with one. If the network's file says so, ranges are queried instead
 * (`range-scan.ts`); this scan is the reference for it. A scan only reports; `inspect` proves.
 */
import { agreedScan, readAdaptively } from '@causeway/chain-kit'
import { type BlockRef, type Cursor, RetryLater, type Scan, type Watchlist } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { type Block, fullBlock, type Header, header } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { formatCursor, hashAt, type Memory, parseCursor, remember } from './cursor.ts'
import { backToFork } from './fork.ts'
import { secondLook } from './log-recheck.ts'
import { transferLogs } from './logs.ts'
import { innerIn } from './native/balance-delta.ts'
import { scanRanges } from './range-scan.ts'
import { type BlockWithLogs, sightingsIn } from './sightings.ts'

export function scan(chain: EvmChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return agreedScan(chain, cursor, {
    scan: () => scanOne(chain, cursor, ours),
    blockOf: ({ head }) => head,
    hashAt: async (node, number) => (await node.ask([header(number)]))[0]?.hash ?? null,
  })
}

function scanOne(chain: EvmChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const sparse = chain.settings.nativeScan === 'blocks' ? null : await scanRanges(chain, node, cursor, ours)
    if (sparse) return sparse
    const start = cursor === null ? await atHead(node) : await resume(chain, node, parseCursor(cursor))
    const { head, reorgFrom, memory } = start
    if (!start.hasMore) {
      const next = cursor !== null && reorgFrom === null ? cursor : formatCursor(memory)
      return { sightings: [], next, head: ref(head), scannedTo: memory.number, reorgFrom }
    }
    const blocks = await readAdaptively(chain.pace, () => stretch(chain, node, start))
    const [seen, inner] = await Promise.all([
      sightingsIn(chain, node, blocks, ours),
      innerIn(chain, node, memory, blocks, head.number, ours),
    ])
    const covered = remember(memory, blocks, chain.network.finalDepth)
    const { sightings, checkedTo } = await secondLook(chain, node, { covered, before: memory, head }, ours)
    return {
      sightings: [...seen, ...inner, ...sightings],
      next: formatCursor({ ...covered, checkedTo }),
      head: ref(head),
      scannedTo: covered.number,
      reorgFrom,
    }
  })
}

interface Start {
  head: Header
  memory: Memory
  reorgFrom: bigint | null
  hasMore: boolean
  /** The block after the last scanned one, if it was already read. */
  first: Block | null
}

async function atHead(node: Node): Promise<Start> {
  const [head] = await node.ask([header('latest')])
  if (!head) throw new RetryLater('the node has no head')
  return { head, memory: { number: head.number - 1n, marks: [] }, reorgFrom: null, hasMore: true, first: null }
}

async function resume(chain: EvmChain, node: Node, memory: Memory): Promise<Start> {
  const [latest, first] = await node.ask([header('latest'), fullBlock(memory.number + 1n)])
  if (!latest) throw new RetryLater('the node has no head')
  // The head may have moved between the two answers.
  const head = first && first.number > latest.number ? first : latest
  const known = hashAt(memory, latest.number)
  const last = hashAt(memory, memory.number)
  const isReplaced = known !== null && known !== latest.hash
  const isDetached = first !== null && last !== null && first.parentHash !== last
  // A head below the cursor with the hash that we remember means a lagging node, not another chain.
  if (!isReplaced && !isDetached) return { head, memory, reorgFrom: null, hasMore: first !== null, first }
  const shortened = await backToFork(chain, node, memory, head)
  return { head, memory: shortened, reorgFrom: shortened.number + 1n, hasMore: true, first: null }
}

async function stretch(chain: EvmChain, node: Node, { head, memory, first }: Start): Promise<BlockWithLogs[]> {
  const from = memory.number + 1n
  const limit = memory.number + BigInt(chain.pace.blocks)
  const to = head.number < limit ? head.number : limit
  const missing = first ? from + 1n : from
  const heights = Array.from({ length: Number(to - missing) + 1 }, (_, i) => missing + BigInt(i))
  const read = heights.length > 0 ? await node.ask(heights.map((height) => fullBlock(height))) : []
  const blocks = [first, ...read].filter((block) => block !== null)
  assertLinked(blocks, memory, Number(to - from) + 1)
  const logs = await transferLogs(chain, node, blocks)
  return blocks.map((block) => ({ ...block, logs: logs.get(block.hash) ?? [] }))
}

function assertLinked(blocks: readonly Block[], memory: Memory, wanted: number): void {
  let parent = hashAt(memory, memory.number)
  for (const block of blocks) {
    if (parent !== null && block.parentHash !== parent) throw new RetryLater('the chain changed while it was read')
    parent = block.hash
  }
  if (blocks.length !== wanted) throw new RetryLater('the node does not have all blocks up to its head')
}

function ref({ number, hash }: Header): BlockRef {
  return { number, hash }
}
