/** The scan: deposits to us, batch by batch from the cursor on. A rollback is handled first. */
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
import type { Cursor, Network, Scan, Watchlist } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { type Batch, batches } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { keepRegistered } from '../paying/registration.ts'
import { sightingsIn } from './sightings.ts'

/** Maximum batches per scan, so that a backfill is stored in steps. */
const STRETCH = 100

export async function scan(chain: StarkExChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  await keepRegistered(chain)
  return chain.rpc.use((node) =>
    cursor === null ? start(chain, node) : onwards(chain, node, parseHeaderWindow(cursor), ours),
  )
}

async function start({ network }: StarkExChain, node: Node): Promise<Scan> {
  const newest = (await node.ask(batches(0n, 0))).head.number
  const memory = memoryOf(network)
  const lowest = newest >= BigInt(memory) ? newest - BigInt(memory) + 1n : 0n
  const { head, batches: behind } = await node.ask(batches(lowest, memory))
  const [first, ...rest] = behind
  const next = first ? appendHeaders(headerWindowFrom(first), rest, memory) : headerWindowFrom(head)
  return { sightings: [], next: formatHeaderWindow(next), head, scannedTo: next.top, reorgFrom: null }
}

async function onwards(chain: StarkExChain, node: Node, trail: HeaderWindow, ours: Watchlist): Promise<Scan> {
  const above = await node.ask(batches(trail.top, STRETCH + 1))
  const isUnchanged = above.batches[0]?.hash !== undefined && above.batches[0].hash === trail.hashes[0]
  const fork = isUnchanged ? null : await findFork(chain, node, trail)
  const known = fork ? truncateHeaders(trail, fork.common) : trail
  const { head, batches: found } = fork ? await node.ask(batches(known.top, STRETCH + 1)) : above
  const linked = takeLinked(known, found.slice(1))
  for (const { number, unread } of linked) {
    if (unread.length === 0) continue
    // The unreadable transfers will show in the reconciliation with the balance.
    const fields = { network: chain.network.name, batch: number, transfers: unread.length }
    chain.log.error(fields, 'transfers of a batch cannot be read')
  }
  const entries = linked.flatMap((batch) => batch.transfers.map((entry) => ({ entry, block: refOf(batch) })))
  const next = appendHeaders(known, linked, memoryOf(chain.network))
  return {
    sightings: await sightingsIn(chain, entries, ours),
    next: formatHeaderWindow(next),
    head,
    scannedTo: next.top,
    reorgFrom: fork?.replaced ? fork.common + 1n : null,
  }
}

async function findFork(
  { log, network }: StarkExChain,
  node: Node,
  trail: HeaderWindow,
): Promise<Fork & { common: bigint }> {
  const lowest = lowestHeader(trail)
  const { common, replaced } = findForkPoint(trail, (await node.ask(batches(lowest, trail.hashes.length))).batches)
  if (common === null)
    log.error({ network: network.name, below: lowest }, 'more was rolled back than the cursor remembers')
  return { common: common ?? 0n, replaced }
}

function refOf({ number, hash }: Batch) {
  return { number, hash }
}

/**
 * The number of remembered batches: twice the final depth, plus a margin, because no rollback should go deeper than
 * final.
 */
function memoryOf(network: Network): number {
  return 2 * network.finalDepth + 16
}
