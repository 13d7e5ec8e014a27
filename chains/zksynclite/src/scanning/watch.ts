/** The scan: entries of the treasury's history since the last one read. The operator reverts no blocks. */
import { type Cursor, RetryLater, type Scan, type Watchlist } from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { type Block, block, type Entry } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { formatCursor, type Place, parseCursor } from './cursor.ts'
import { headOf } from './head.ts'
import { walk } from './history.ts'
import { sightingsIn } from './sightings.ts'

export function scan(chain: ZkSyncChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const head = await headOf(node)
    if (cursor === null) return scanned(head, await newestOf(chain, node), [])
    const place = parseCursor(cursor)
    const fresh = await since(chain, node, place)
    const newest = fresh.find(({ blockNumber }) => blockNumber !== null)
    const blocks = await blocksOf(node, fresh)
    const sightings = await sightingsIn(chain, fresh.toReversed(), blocks, ours)
    const next = newest ? { block: newest.blockNumber ?? place.block, hash: newest.hash } : place
    return scanned(head, next, sightings)
  })
}

function scanned(head: Block, next: Place, sightings: Scan['sightings']): Scan {
  const { number, hash } = head
  return { sightings, next: formatCursor(next), head: { number, hash }, scannedTo: number, reorgFrom: null }
}

async function newestOf({ treasury }: ZkSyncChain, node: Node): Promise<Place> {
  for await (const { blockNumber, hash } of walk(node, treasury)) {
    if (blockNumber !== null) return { block: blockNumber, hash }
  }
  return { block: 0n, hash: null }
}

/**
 * Entries executed since the cursor, newest first, and those in an unknown state: such a deposit has no block and is
 * queried until its state is known. A server whose history ends before our cursor lags, and is not used.
 */
async function since({ treasury, network, log }: ZkSyncChain, node: Node, place: Place): Promise<Entry[]> {
  const fresh: Entry[] = []
  for await (const entry of walk(node, treasury)) {
    if (entry.hash === place.hash && entry.blockNumber !== null) return fresh
    if (entry.state === 'strange') {
      log.warn({ network: network.name, hash: entry.hash }, 'a history entry is in an unknown state')
      fresh.push(entry)
      continue
    }
    if (entry.blockNumber === null) continue
    if (entry.blockNumber < place.block) break
    fresh.push(entry)
  }
  if (place.hash === null) return fresh
  throw new RetryLater('the server lists a past without what it had shown: it is behind')
}

/** The blocks of these entries, with one request per block. */
export async function blocksOf(node: Node, entries: readonly Entry[]): Promise<ReadonlyMap<bigint, Block>> {
  const found = new Map<bigint, Block>()
  for (const { blockNumber } of entries) {
    if (blockNumber === null || found.has(blockNumber)) continue
    const read = await node.ask(block(blockNumber))
    if (!read) throw new RetryLater(`block ${blockNumber} is not known yet`)
    found.set(blockNumber, read)
  }
  return found
}
