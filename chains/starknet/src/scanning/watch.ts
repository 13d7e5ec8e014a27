/**
 * The scan: transfers to us, range by range from the cursor on. It takes two calls per poll while nothing happens, a
 * few more for a range of blocks. A scan only reports; `inspect` proves.
 */
import { agreedScan, readAdaptively } from '@causeway/chain-kit'
import { type BlockRef, type Cursor, RetryLater, type Scan, type Watchlist } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { CODES, type Header, header, unless } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { type Heads, headsOf } from './confirmations.ts'
import { formatCursor, hashAt, type Memory, parseCursor, remember } from './cursor.ts'
import { transfersBetween } from './events.ts'
import { backToFork } from './fork.ts'
import { sightingsAmong } from './sightings.ts'

export function scan(chain: StarknetChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return agreedScan(chain, cursor, {
    scan: () => scanOne(chain, cursor, ours),
    blockOf: ({ head }) => head,
    hashAt: async (node, number) => unless((await node.settle([header(number)]))[0], CODES.blockNotFound)?.hash ?? null,
  })
}

function scanOne(chain: StarknetChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const start = cursor === null ? await atHead(node) : await resume(chain, node, parseCursor(cursor))
    const { heads, reorgFrom, memory } = start
    const head = ref(heads.latest)
    if (memory.number >= head.number) {
      const next = cursor !== null && reorgFrom === null ? cursor : formatCursor(memory)
      return { sightings: [], next, head, scannedTo: memory.number, reorgFrom }
    }
    const { blocks, sightings } = await readAdaptively(chain.pace, async () => {
      const stretch = await readStretch(chain, node, memory, heads)
      const events = await transfersBetween(chain, node, stretch)
      const hashes = new Set(stretch.map(({ hash }) => hash))
      if (events.some(({ block }) => !hashes.has(block?.hash ?? ''))) {
        throw new RetryLater('the chain changed while it was read')
      }
      return { blocks: stretch, sightings: await sightingsAmong(chain, node, events, ours) }
    })
    const covered = remember(memory, blocks, ref(heads.final))
    return { sightings, next: formatCursor(covered), head, scannedTo: covered.number, reorgFrom }
  })
}

interface Start {
  heads: Heads
  memory: Memory
  reorgFrom: bigint | null
}

async function atHead(node: Node): Promise<Start> {
  const heads = await headsOf(node)
  return { heads, memory: { number: heads.latest.number - 1n, marks: [], final: null }, reorgFrom: null }
}

async function resume(chain: StarknetChain, node: Node, memory: Memory): Promise<Start> {
  const [latest, final, next] = await node.settle([header('latest'), header('l1_accepted'), header(memory.number + 1n)])
  for (const answer of [latest, final]) if (answer instanceof Refusal) throw answer
  const heads = { latest: latest as Header, final: final as Header }
  const first = unless(next, CODES.blockNotFound)
  const known = hashAt(memory, heads.latest.number)
  const last = hashAt(memory, memory.number)
  const isReplaced = known !== null && known !== heads.latest.hash
  const isDetached = first !== null && last !== null && first.parentHash !== last
  // A head below the cursor with the hash that we remember means a lagging node, not another chain.
  if (!isReplaced && !isDetached) return { heads, memory, reorgFrom: null }
  const shortened = await backToFork(chain, node, memory, heads)
  return { heads, memory: shortened, reorgFrom: shortened.number + 1n }
}

/** The next blocks, each the child of the previous one. */
async function readStretch(chain: StarknetChain, node: Node, memory: Memory, { latest }: Heads): Promise<Header[]> {
  const from = memory.number + 1n
  const limit = memory.number + BigInt(chain.pace.blocks)
  const to = latest.number < limit ? latest.number : limit
  const heights = Array.from({ length: Number(to - from) + 1 }, (_, i) => from + BigInt(i))
  const answers = await node.settle(heights.map((height) => header(height)))
  const blocks = answers.map((answer) => unless(answer, CODES.blockNotFound)).filter((block) => block !== null)
  if (blocks.length !== heights.length) throw new RetryLater('the node does not have all blocks up to its head')
  let parent = hashAt(memory, memory.number)
  for (const [i, block] of blocks.entries()) {
    const isLinked = block.number === heights[i] && (parent === null || block.parentHash === parent)
    if (!isLinked) throw new RetryLater('the chain changed while it was read')
    parent = block.hash
  }
  return blocks
}

function ref({ number, hash }: Header): BlockRef {
  return { number, hash }
}
