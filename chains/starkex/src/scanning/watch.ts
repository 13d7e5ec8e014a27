/** The scan: from the cursor on, batch by batch, what came to us; what was rolled back is walked back first. */
import type { Cursor, Network, Scan, Watchlist } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { type Batch, batches } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { keepRegistered } from '../paying/registration.ts'
import { extend, formatCursor, hashAt, parseCursor, shorten, type Trail, trailOf } from './cursor.ts'
import { sightingsIn } from './sightings.ts'

/** Batches a scan covers at most, so that catching up is done in stretches that are stored. */
const STRETCH = 100

export async function scan(chain: StarkExChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  await keepRegistered(chain)
  return chain.rpc.use((node) =>
    cursor === null ? start(chain, node) : onwards(chain, node, parseCursor(cursor), ours),
  )
}

async function start({ network }: StarkExChain, node: Node): Promise<Scan> {
  const newest = (await node.ask(batches(0n, 0))).head.number
  const memory = memoryOf(network)
  const lowest = newest >= BigInt(memory) ? newest - BigInt(memory) + 1n : 0n
  const { head, batches: behind } = await node.ask(batches(lowest, memory))
  const [first, ...rest] = behind
  const next = first ? extend(trailOf(first), rest, memory) : trailOf(head)
  return { sightings: [], next: formatCursor(next), head, scannedTo: next.top, reorgFrom: null }
}

async function onwards(chain: StarkExChain, node: Node, trail: Trail, ours: Watchlist): Promise<Scan> {
  const above = await node.ask(batches(trail.top, STRETCH + 1))
  const isUnchanged = above.batches[0]?.hash !== undefined && above.batches[0].hash === trail.hashes[0]
  const fork = isUnchanged ? null : await findFork(chain, node, trail)
  const known = fork ? shorten(trail, fork.common) : trail
  const { head, batches: found } = fork ? await node.ask(batches(known.top, STRETCH + 1)) : above
  const linked = linkedTo(known, found.slice(1))
  for (const { number, unread } of linked) {
    if (unread.length === 0) continue
    // What it did shows when the books are compared with the balance.
    const fields = { network: chain.network.name, batch: number, transfers: unread.length }
    chain.log.error(fields, 'transfers of a batch cannot be read')
  }
  const entries = linked.flatMap((batch) => batch.transfers.map((entry) => ({ entry, block: refOf(batch) })))
  const next = extend(known, linked, memoryOf(chain.network))
  return {
    sightings: await sightingsIn(chain, entries, ours),
    next: formatCursor(next),
    head,
    scannedTo: next.top,
    reorgFrom: fork?.replaced ? fork.common + 1n : null,
  }
}

/** An operator's backend that only lags rolled nothing back: it agrees with the cursor as far as it goes, which stays. */
async function findFork({ log, network }: StarkExChain, node: Node, trail: Trail) {
  const lowest = trail.top - BigInt(trail.hashes.length) + 1n
  const { batches: shown } = await node.ask(batches(lowest, trail.hashes.length))
  const agreed = shown.filter((batch) => hashAt(trail, batch.number) === batch.hash)
  const newest = agreed.at(-1)
  if (newest && agreed.length === shown.length) return { common: trail.top, replaced: false }
  if (newest) return { common: newest.number, replaced: true }
  if (shown.length === 0) return { common: trail.top, replaced: false }
  log.error({ network: network.name, below: lowest }, 'more was rolled back than the cursor remembers')
  return { common: 0n, replaced: true }
}

/** The view may change between two calls: what does not continue our batches waits for the next scan. */
function linkedTo(known: Trail, found: readonly Batch[]): Batch[] {
  const linked: Batch[] = []
  let parent = known.hashes[0]
  for (const batch of found) {
    if (parent !== undefined && batch.parent !== parent) break
    linked.push(batch)
    parent = batch.hash
  }
  return linked
}

function refOf({ number, hash }: Batch) {
  return { number, hash }
}

/** Twice the final depth, and some: what reaches deeper has broken the network's own promise. */
function memoryOf(network: Network): number {
  return 2 * network.finalDepth + 16
}
