/**
 * The scan: deposits to us, block by block from the cursor on. A scan only reports; `inspect` proves. Blocks come every
 * second, so pending transactions are not read.
 */
import { type BlockRef, type Cursor, RetryLater, type Scan, type Watchlist } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import { type Header, head as headOf, tip } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { asMuchAs, isEmpty, type Landed, range, transactionsIn } from './blocks.ts'
import { cutAfter, extend, formatCursor, idAt, type Memory, oldest, parseCursor, remembered } from './cursor.ts'
import { sightingsIn } from './sightings.ts'

export function scan(chain: FuelChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    if (cursor === null) return begin(chain, node)
    const known = parseCursor(cursor)
    const from = firstWanted(known)
    const { answer } = await asMuchAs(chain.settings.scanBlocks + 1, (count) => node.ask(tip(from, count)))
    const { head, rows } = answer
    for (const { number } of [head, ...rows.slice(-1)]) await chain.reach.assert(node, number)
    const isGrown = rows[0] !== undefined && idAt(known, known.height) === rows[0].hash
    const memory = isGrown ? known : await toFork(chain, node, known, head)
    const fresh = isGrown ? rows : await after(chain, node, memory, head)
    const { covered, landed } = await stretch(chain, node, memory, head, fresh)
    return {
      sightings: await sightingsIn(chain, node, landed, ours),
      next: formatCursor(covered),
      head,
      scannedTo: covered.height,
      reorgFrom: memory.height < known.height ? memory.height + 1n : null,
    }
  })
}

async function begin(chain: FuelChain, node: Node): Promise<Scan> {
  const head = await node.ask(headOf())
  await chain.reach.assert(node, head.number)
  const memory = await atHead(chain, node, head)
  return { sightings: [], next: formatCursor(memory), head, scannedTo: memory.height, reorgFrom: null }
}

/**
 * The first block to read: the newest scanned block is read again, so that one answer shows that the next blocks follow
 * it.
 */
function firstWanted({ height, ids }: Memory): bigint {
  return ids.length > 0 ? height : height + 1n
}

async function atHead({ network }: FuelChain, node: Node, { number: height }: BlockRef): Promise<Memory> {
  const count = BigInt(remembered(network))
  const lowest = height >= count ? height - count + 1n : 0n
  const ids = (await range(node, lowest, height, height)).map(({ hash }) => hash)
  return { height, ids }
}

/** The remembered ids cut down to the newest block that is still canonical; unchanged if there was no reorg. */
async function toFork({ network, log }: FuelChain, node: Node, memory: Memory, head: BlockRef): Promise<Memory> {
  const bottom = oldest(memory)
  const top = memory.height < head.number ? memory.height : head.number
  if (memory.ids.length === 0) return memory
  if (top < bottom) throw new RetryLater(`${network.name}: the node is far behind`)
  const agrees = ({ number, hash }: Header) => idAt(memory, number) === hash
  // A node that agrees as far as it goes only lags: nothing was replaced.
  if ((await range(node, top, top, head.number)).every(agrees)) return memory
  const fork = (await range(node, bottom, top, head.number)).findLast(agrees)
  const depth = memory.height - (fork?.number ?? bottom - 1n)
  const fields = { network: network.name, fork: fork?.number ?? null, from: memory.height }
  if (depth > BigInt(network.finalDepth)) log.error(fields, 'blocks that were final are replaced')
  else log.warn(fields, 'chain was reorganised')
  return cutAfter(memory, fork?.number ?? bottom - 1n)
}

/** Maximum blocks with user transactions that one scan reads in full: each needs its own query. */
const MOST_FULL = 50

async function stretch(
  chain: FuelChain,
  node: Node,
  memory: Memory,
  head: BlockRef,
  fresh: readonly Header[],
): Promise<{ covered: Memory; landed: Landed[] }> {
  const base = fresh.find(({ number }) => number === memory.height)
  if (base && base.hash !== idAt(memory, base.number)) throw new RetryLater('the chain changed while it was read')
  const landed: Landed[] = []
  const ids: string[] = []
  let full = 0
  for (const header of fresh) {
    if (header.number <= memory.height) continue
    if (!isEmpty(header)) {
      if (full === MOST_FULL) break
      full += 1
      landed.push(...(await transactionsIn(chain, node, header, head.number)))
    }
    ids.push(header.hash)
  }
  return { covered: extend(memory, ids, chain.network), landed }
}

/** The headers after the fork point. */
async function after({ settings }: FuelChain, node: Node, memory: Memory, head: BlockRef): Promise<Header[]> {
  const end = memory.height + BigInt(settings.scanBlocks)
  const last = end < head.number ? end : head.number
  return last > memory.height ? range(node, firstWanted(memory), last, head.number) : []
}
