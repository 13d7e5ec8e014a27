/**
 * The range scan: token deposits by log ranges, coins by the balances of our addresses or by the node's traces. Only
 * blocks that contain a deposit are read. It finds the same deposits under the same names as the scan of every block,
 * which is used if a node does not support this.
 */
import { readAdaptively } from '@causeway/chain-kit'
import { type Address, type Cursor, RetryLater, type Scan, type Sighting, type Watchlist } from '@causeway/core'
import type { EvmChain } from '../chain.ts'
import { type Header, header, hex, tracedBlocks } from '../node/calls.ts'
import { statesOf } from '../node/historical-state.ts'
import { type Node, Refusal } from '../node/node.ts'
import { formatCursor, hashAt, type Memory, parseCursor, remember } from './cursor.ts'
import { backToFork } from './fork.ts'
import { secondLook } from './log-recheck.ts'
import { innerOf } from './native/balance-delta.ts'
import { filterFor, MOST_RECEIVERS, readBlocks } from './native/candidate-blocks.ts'
import { type CoinBlock, coinsSince, standingAt } from './native/native-balances.ts'
import { logsBetween } from './ranges.ts'
import { sightingsIn } from './sightings.ts'

/** After a failure, blocks are read in full for this many blocks. */
const WHOLE_BLOCKS = 64n

/** Scans by ranges. Null if the node does not support this: then blocks are read in full. */
export async function scanRanges(
  chain: EvmChain,
  node: Node,
  cursor: Cursor | null,
  ours: Watchlist,
): Promise<Scan | null> {
  const known = cursor === null ? null : parseCursor(cursor)
  if (known && known.number < chain.coins.wholeTo) return null
  const start = await begin(chain, node, known)
  const { head, memory, reorgFrom, end } = start
  const common = { head: { number: head.number, hash: head.hash }, reorgFrom }
  if (!end) {
    const next = cursor !== null && reorgFrom === null ? cursor : formatCursor(memory)
    return { ...common, sightings: [], next, scannedTo: memory.number }
  }
  const sightings = await readAdaptively(chain.ranges, () => sightingsUpTo(chain, node, memory, end, ours))
  if (sightings === null) {
    // If the state was pruned, it will not come back; the state of the newest blocks may become available soon.
    const [old, soon] = [head.number - WHOLE_BLOCKS, memory.number + WHOLE_BLOCKS]
    chain.coins.wholeTo = old > soon ? old : soon
    return null
  }
  const covered = remember(memory, [end], chain.network.finalDepth)
  const checked = await secondLook(chain, node, { covered, before: memory, head }, ours)
  chain.ranges.isBehind = end.number < head.number
  return {
    ...common,
    sightings: [...sightings, ...checked.sightings],
    next: formatCursor({ ...covered, checkedTo: checked.checkedTo }),
    scannedTo: end.number,
  }
}

interface Begun {
  head: Header
  memory: Memory
  reorgFrom: bigint | null
  /** The newest block to scan; null if there is none yet. */
  end: Header | null
}

async function begin(chain: EvmChain, node: Node, memory: Memory | null): Promise<Begun> {
  const limitOf = (from: bigint) => from + BigInt(node.limits.logBlocks * chain.ranges.blocks)
  // During a backfill the other two requests are needed as well, so they are sent at once.
  const isBehind = memory !== null && chain.ranges.isBehind
  const [latest = null, below = null, above = null] = await node.ask([
    header('latest'),
    ...(isBehind ? [header(memory.number), header(limitOf(memory.number))] : []),
  ])
  if (!latest) throw new RetryLater('the node has no head')
  const first = { number: latest.number - 1n, marks: [{ number: latest.number - 1n, hash: latest.parentHash }] }
  if (!memory) return { head: latest, memory: first, reorgFrom: null, end: latest }
  const kept = await stillStanding(chain, node, memory, latest, below)
  const reorgFrom = kept === memory ? null : kept.number + 1n
  if (latest.number <= kept.number) return { head: latest, memory: kept, reorgFrom, end: null }
  const limit = limitOf(kept.number)
  if (latest.number <= limit) return { head: latest, memory: kept, reorgFrom, end: latest }
  const end = above?.number === limit ? above : (await node.ask([header(limit)]))[0]
  if (!end) throw new RetryLater('the node does not have all blocks up to its head')
  return { head: latest, memory: kept, reorgFrom, end }
}

/** The remembered hashes: unchanged if the newest block is still in the chain, else cut down to the fork point. */
async function stillStanding(
  chain: EvmChain,
  node: Node,
  memory: Memory,
  latest: Header,
  below: Header | null,
): Promise<Memory> {
  const last = hashAt(memory, memory.number)
  const known = hashAt(memory, latest.number)
  if (latest.number <= memory.number) {
    // A head below the cursor whose hash we remember means a lagging node, not another branch.
    return known === null || known === latest.hash ? memory : backToFork(chain, node, memory, latest)
  }
  if (last === null) return memory
  if (latest.number === memory.number + 1n && latest.parentHash === last) return memory
  const standing = below ?? (await node.ask([header(memory.number)]))[0]
  if (!standing) throw new RetryLater('the node does not have all blocks up to its head')
  return standing.hash === last ? memory : backToFork(chain, node, memory, latest)
}

/** All deposits after the remembered block up to this one. */
async function sightingsUpTo(
  chain: EvmChain,
  node: Node,
  memory: Memory,
  end: Header,
  ours: Watchlist,
): Promise<Sighting[] | null> {
  // Read after the head, so that every address given out before that block is included.
  const all = (await ours.listUpTo?.(MOST_RECEIVERS)) ?? null
  // If we have too many addresses for one query: those that are likely to receive coins.
  const accounts = [...new Set([chain.treasury, ...(all ?? (await ours.activeAddresses?.()) ?? [])])]
  const last = { number: memory.number, hash: hashAt(memory, memory.number) }
  const [found, coins, [standing]] = await Promise.all([
    logsBetween(node, filterFor(chain, all), memory.number + 1n, end.number),
    chain.settings.nativeScan === 'traces'
      ? tracedSince(chain, node, all ?? accounts, last.number, end)
      : coinsSince(chain, node, accounts, last, end),
    node.ask([header(end.number)]),
  ])
  if (found === null || coins === null) return null
  // The node that returned the logs does not have the range's last block, or has another one.
  if (standing?.hash !== end.hash) throw new RetryLater('the chain changed while it was read')
  const read = await readBlocks(chain, node, coins, found, ours)
  const [seen, inner] = await Promise.all([
    sightingsIn(chain, node, read, ours),
    innerOf(
      chain,
      node,
      coins,
      read.filter(({ isWhole }) => isWhole),
    ),
  ])
  return [...seen, ...inner]
}

/** Native deposits found by the node's traces. Internal transfers to deposit addresses are found by balance. */
async function tracedSince(
  chain: EvmChain,
  node: Node,
  accounts: readonly Address[],
  low: bigint,
  end: Header,
): Promise<CoinBlock[] | null> {
  if (!(await statesOf(node)).byHash) return null
  const range = { fromBlock: hex(low + 1n), toBlock: hex(end.number) }
  const [traced] = await node.settle([
    tracedBlocks({ ...range, toAddress: [...new Set([chain.treasury, ...accounts])] }),
  ])
  if (traced instanceof Refusal) return null
  const blocks = await node.ask([...new Set(traced)].map((number) => header(number)))
  const found = await Promise.all(
    blocks.map(async (block): Promise<CoinBlock | null> => {
      if (!block) throw new RetryLater('the node does not have all blocks up to its head')
      const [before, after] = await Promise.all(
        [block.parentHash, block.hash].map((hash) => standingAt(chain, node, accounts, hash)),
      )
      return before && after ? { block: { number: block.number, hash: block.hash }, before, after } : null
    }),
  )
  return found.includes(null) ? null : found.flatMap((one) => one ?? [])
}
