/**
 * The scan without blocks: it reads the balances of our accounts, a hundred per request, and for changed ones the list
 * of transactions that touched them. Balances are only a hint; deposits come from the transactions, found by signature.
 */
import { type Cursor, RetryLater, type Scan, type Sighting, type Watchlist } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { blockRoot, type Head, type HistoryEntry, SKIPPED_CODES, transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { LandedTransaction } from '../transaction.ts'
import { lookAt, placesOf } from './account-watch.ts'
import { formatCursor, type Memory, parseCursor, type Reported } from './cursor.ts'
import { headOf } from './head.ts'
import { doubtTouched, goOn, isRead, remember } from './scan-memory.ts'
import { sightingsIn } from './sightings.ts'

/** Maximum transactions per scan, so that a backfill is stored in steps. */
const STRETCH = 200
/** Concurrent requests of one kind. */
const BATCH = 20
/** A block this far below the head is final: deposits reported there stay. */
const FINAL_SLOTS = 64n
/** Reported deposits are remembered for as long as lists are re-read. */
const KEPT_SLOTS = 800n
/**
 * After this long without a change, accounts are checked at the longer interval, however often a scan is requested:
 * nodes meter requests.
 */
const QUIET_AFTER_MS = 600_000
const QUIET_EVERY_MS = 3_000

export async function scanBySignatures(chain: SolanaChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  const { scanMemory } = chain
  const at = Date.now()
  const isQuiet = at - scanMemory.changedAt > QUIET_AFTER_MS && at - scanMemory.askedAt < QUIET_EVERY_MS
  if (scanMemory.last && isQuiet && scanMemory.last.next === cursor)
    return { ...scanMemory.last, sightings: [], reorgFrom: null }
  goOn(scanMemory, cursor)
  const found = await chain.rpc.use((node) => scan(chain, node, cursor, ours))
  Object.assign(scanMemory, { last: found, askedAt: at })
  return found
}

async function scan(chain: SolanaChain, node: Node, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  const head = await headOf(chain, node)
  const before = cursor === null ? atHead(head) : parseCursor(cursor)
  const told = { head: { number: head.slot, hash: head.blockhash }, reorgFrom: null }
  // A lagging node has nothing new: the cursor stays.
  if (head.slot < before.slot) return { ...told, sightings: [], next: formatCursor(before), scannedTo: before.slot }
  const fork = await forkOf(chain, node, before, head)
  const memory = fork ?? before
  const places = await placesOf(chain, node, ours)
  const looked = await lookAt(chain, node, places, memory, head)
  await chain.reach.assert(node, looked.entries.at(-1)?.slot ?? head.slot)
  const reported = new Set(memory.reported.map(({ signature }) => signature))
  const fresh = looked.entries.filter(({ signature, slot }) => slot > memory.from && !reported.has(signature))
  await readAll(chain, node, looked.newest)
  const end = stretchOf(chain, fresh)
  const transactions = await readAll(chain, node, fresh.slice(0, end))
  const sightings = await sighted(chain, node, transactions, ours)
  const left = fresh[end]
  const covered = left && left.slot - 1n > memory.slot ? left.slot - 1n : left ? memory.slot : head.slot
  const next = {
    slot: covered,
    from: memory.from,
    blocks: left ? memory.blocks : [{ slot: head.slot, hash: head.blockhash }],
    reported: [...memory.reported, ...sightings.flatMap(reportOf)].filter(({ slot }) => slot + KEPT_SLOTS > covered),
  }
  const written = formatCursor(next)
  const settle = () => {
    looked.settle()
    doubtTouched(chain.scanMemory, transactions)
  }
  chain.scanMemory.pending = { next: written, settle: left ? () => undefined : settle }
  return {
    ...told,
    sightings,
    next: written,
    scannedTo: covered,
    reorgFrom: fork ? fork.slot + 1n : null,
  }
}

function atHead({ slot, blockhash }: Head): Memory {
  return { slot, blocks: [{ slot, hash: blockhash }], reported: [], from: slot }
}

/** The remembered blocks below a dropped block with a reported deposit; null if all such blocks are still there. */
async function forkOf(chain: SolanaChain, node: Node, memory: Memory, head: Head): Promise<Memory | null> {
  const young = memory.reported.filter(({ slot }) => slot + FINAL_SLOTS > head.slot)
  const slots = [...new Set(young.map(({ slot }) => slot))]
  const roots = await node.settle(slots.map((slot) => blockRoot(slot)))
  const gone = slots.filter((slot, position) => {
    const root = roots[position]
    // Only a skipped slot proves it; a node that does not have the block yet, or has pruned it, proves nothing.
    if (root instanceof Refusal && !SKIPPED_CODES.has(root.code)) throw root
    const hash = root instanceof Refusal ? null : (root?.hash ?? null)
    return young.some((one) => one.slot === slot && one.hash !== hash)
  })
  if (gone.length === 0) return null
  const lowest = gone.reduce((a, b) => (a < b ? a : b))
  chain.log.warn({ network: chain.network.name, fork: lowest, from: memory.slot }, 'a fork was dropped')
  // The balances are current, but their lists belong to the dropped fork.
  chain.scanMemory.held.clear()
  const isKept = ({ slot }: { slot: bigint }) => slot < lowest
  const { from } = memory
  return { slot: lowest - 1n, blocks: memory.blocks.filter(isKept), reported: memory.reported.filter(isKept), from }
}

/** The number of entries to read now: limited by those not read before, including known ones. */
function stretchOf({ scanMemory }: SolanaChain, entries: readonly HistoryEntry[]): number {
  let unread = 0
  const end = entries.findIndex((entry) => !isRead(scanMemory, entry) && ++unread > STRETCH)
  return end < 0 ? entries.length : end
}

async function readAll(
  { scanMemory }: SolanaChain,
  node: Node,
  entries: readonly HistoryEntry[],
): Promise<LandedTransaction[]> {
  const unknown = entries.filter((entry) => !isRead(scanMemory, entry))
  for (let start = 0; start < unknown.length; start += BATCH) {
    const asked = unknown.slice(start, start + BATCH).map(({ signature }) => transaction(signature))
    for (const answer of await node.ask(asked)) {
      if (!answer) throw new RetryLater('the node knows that a transaction landed, but not the transaction')
      remember(scanMemory, answer)
    }
  }
  return entries.flatMap(({ signature }) => scanMemory.read.get(signature) ?? [])
}

/** The deposits with their blocks. The hash of a block is read only if it contains a deposit. */
async function sighted(
  chain: SolanaChain,
  node: Node,
  transactions: readonly LandedTransaction[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const candidates = transactions.map((one) => ({ transaction: one, block: { number: one.slot, hash: '' } }))
  const found = await sightingsIn(chain, node, candidates, ours)
  const slots = [...new Set(found.flatMap(({ block }) => block?.number ?? []))]
  const roots = await node.ask(slots.map((slot) => blockRoot(slot)))
  return found.map((sighting) => {
    const root = roots.find(({ slot }) => slot === sighting.block?.number)
    if (!root) throw new RetryLater('the block of a deposit is not there now')
    return { ...sighting, block: { number: root.slot, hash: root.hash } }
  })
}

function reportOf({ txHash, block }: Sighting): Reported[] {
  return block ? [{ signature: txHash, slot: block.number, hash: block.hash }] : []
}
