/**
 * The scan: deposits to us, block by block from the cursor on; at the head also pending ones in the mempool. A scan
 * only reports; `inspect` proves.
 */
import { agreedScan } from '@causeway/chain-kit'
import { type Cursor, RetryLater, type Scan, type UtxoChanges, type Watchlist } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { block, blockHash, type ChainInfo, chainInfo } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { Block } from '../transaction.ts'
import { cutAfter, extend, formatCursor, hashAt, type Memory, oldest, parseCursor, remembered } from './cursor.ts'
import { waitingDeposits } from './mempool.ts'
import { rebuilt } from './rebuild.ts'
import { sightingsIn } from './sightings.ts'
import { coinChanges, isInStep, type ReadBlock } from './utxo-changes.ts'

export function scan(chain: BitcoinChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return agreedScan(chain, cursor, {
    scan: () => scanOne(chain, cursor, ours),
    blockOf: ({ head }) => head,
    hashAt: async (node, number) => (await node.ask([blockHash(Number(number))]))[0],
  })
}

function scanOne(chain: BitcoinChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const [head] = await node.ask([chainInfo()])
    const known = cursor === null ? await atHead(chain, node, head) : parseCursor(cursor)
    const memory = await toFork(chain, node, known, head)
    const blocks = await stretch(chain, node, memory, head)
    const landed = await sightingsIn(chain, node, blocks.flatMap(candidatesIn(memory)), ours)
    const hashes = blocks.map(({ hash }) => hash)
    const covered = extend(memory, hashes, chain.network)
    const coins = await coinsOf(chain, node, { known, fork: memory, covered, blocks: numbered(memory, blocks) }, ours)
    const waiting =
      chain.settings.watchMempool && covered.height >= head.height
        ? await waitingDeposits(chain, node, known.waiting, ours)
        : { sightings: [], txids: known.waiting }
    return {
      sightings: [...landed, ...waiting.sightings],
      next: formatCursor({ ...covered, waiting: waiting.txids }),
      head: { number: BigInt(head.height), hash: head.hash },
      scannedTo: BigInt(covered.height),
      reorgFrom: memory.height < known.height ? BigInt(memory.height + 1) : null,
      ...(coins && { coins }),
    }
  })
}

/** The UTXO changes of this scan; null if there are none, or if no set is kept. */
async function coinsOf(
  chain: BitcoinChain,
  node: Node,
  scanned: { known: Memory; fork: Memory; covered: Memory; blocks: ReadBlock[] },
  ours: Watchlist,
): Promise<UtxoChanges | null> {
  const { book } = chain
  if (!book) return null
  const position = await book.position()
  if (!isInStep(position, scanned.known)) return rebuilt(chain, book, node, position, scanned, ours)
  const hasMoved = scanned.blocks.length > 0 || scanned.fork.height < scanned.known.height
  return hasMoved ? coinChanges(chain, book, position, scanned, ours) : null
}

async function atHead({ network }: BitcoinChain, node: Node, head: ChainInfo): Promise<Memory> {
  const lowest = Math.max(0, head.height - remembered(network) + 1)
  const heights = Array.from({ length: head.height - lowest + 1 }, (_, ahead) => lowest + ahead)
  const hashes = await node.ask(heights.map((height) => blockHash(height)))
  return { height: head.height, hashes, waiting: [] }
}

/** Most reorgs are one or two blocks deep: searching in such steps needs one request. */
const FORK_STEP = 12

/** The remembered hashes cut down to the newest block that is still canonical; unchanged if there was no reorg. */
async function toFork(chain: BitcoinChain, node: Node, memory: Memory, head: ChainInfo): Promise<Memory> {
  const { network, log } = chain
  const bottom = oldest(memory)
  const top = Math.min(memory.height, head.height)
  if (top < bottom && memory.hashes.length > 0) throw new RetryLater(`${network.name}: the node is far behind`)
  // A node that agrees as far as it goes only lags: nothing was replaced.
  if (top < bottom || (await agreed(node, memory, [top])) !== null) return memory
  for (let high = top - 1; high >= bottom; high -= FORK_STEP) {
    const heights = Array.from({ length: FORK_STEP }, (_, down) => high - down).filter((height) => height >= bottom)
    const fork = await agreed(node, memory, heights)
    if (fork === null) continue
    log.warn({ network: network.name, fork, from: memory.height }, 'chain was reorganised')
    return cutAfter(memory, fork)
  }
  log.error({ network: network.name, oldest: bottom }, 'reorganisation is deeper than the scan remembers')
  return cutAfter(memory, bottom - 1)
}

/** The first of these heights at which the node has the block that we remember; null if none. */
async function agreed(node: Node, memory: Memory, heights: readonly number[]): Promise<number | null> {
  const hashes = await node.ask(heights.map((height) => blockHash(height)))
  return heights.find((height, position) => hashes[position] === hashAt(memory, height)) ?? null
}

async function stretch({ settings }: BitcoinChain, node: Node, memory: Memory, head: ChainInfo): Promise<Block[]> {
  const blocks: Block[] = []
  const count = Math.max(0, Math.min(head.height - memory.height, settings.scanBlocks))
  const heights = Array.from({ length: count }, (_, ahead) => memory.height + 1 + ahead)
  let parent = hashAt(memory, memory.height)
  for (const hash of await node.ask(heights.map((height) => blockHash(height)))) {
    const [found] = await node.ask([block(hash)])
    if (parent !== null && found.parent !== parent) throw new RetryLater('the chain changed while it was read')
    blocks.push(found)
    parent = hash
  }
  return blocks
}

function numbered(memory: Memory, blocks: readonly Block[]): ReadBlock[] {
  return blocks.map((one, position) => ({ height: memory.height + 1 + position, block: one }))
}

function candidatesIn(memory: Memory) {
  return ({ hash, transactions }: Block, position: number) => {
    const at = { number: BigInt(memory.height + 1 + position), hash }
    return transactions.map((transaction) => ({ transaction, block: at }))
  }
}
