/**
 * The scan by whole stretches: token deposits by ranges of logs, coins by what our addresses hold or by the node's traces,
 * and only the blocks where something came are read. It finds what the scan of every block finds, under the same names; where
 * a node cannot answer so, that one is used. What an address hears of late is looked at a second time, deeper down.
 */
import { type Address, type Cursor, RetryLater, type Scan, type Sighting, type Watchlist } from '@causeway/core'
import { pad, zeroAddress } from 'viem'
import type { EvmChain } from '../chain.ts'
import { DEPOSITED_TOPIC } from '../depositing/depository.ts'
import { factoryAddress } from '../depositing/forwarder.ts'
import { fullBlock, type Header, header, hex, type Log, tracedBlocks, transaction } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { type CoinBlock, coinsSince, type Sweeps, standingAt } from './coins.ts'
import { formatCursor, hashAt, type Memory, parseCursor, remember } from './cursor.ts'
import { backToFork } from './fork.ts'
import { innerOf } from './grown.ts'
import { SWEPT_TOPIC, sweepsIn } from './inner.ts'
import { logsBetween, type RangeFilter } from './ranges.ts'
import { type BlockWithLogs, sightingsIn } from './sightings.ts'
import { nativeDeposit, TRANSFER_TOPIC, tokenMovement } from './transfers.ts'

/** Questions for logs that one scan asks at once, while it catches up. */
const PIECES = 8
/** Receivers that a node is asked about by name; where we have more of them, about the tokens as a whole. */
const MOST_RECEIVERS = 1_000
/** A node that lagged may have left logs out without a word: they are asked for again this deep, in stretches so long. */
const SECOND_LOOK = { depth: 16n, blocks: 256n }

/** Null where the node cannot be asked so: then blocks are read as a whole. */
export async function scanRanges(
  chain: EvmChain,
  node: Node,
  cursor: Cursor | null,
  ours: Watchlist,
): Promise<Scan | null> {
  const start = await begin(chain, node, cursor === null ? null : parseCursor(cursor))
  const { head, memory, reorgFrom, end } = start
  const common = { head: { number: head.number, hash: head.hash }, reorgFrom }
  if (!end) {
    const next = cursor !== null && reorgFrom === null ? cursor : formatCursor(memory)
    return { ...common, sightings: [], next, scannedTo: memory.number }
  }
  const sightings = await sightingsUpTo(chain, node, memory, end, ours)
  if (sightings === null) return null
  const covered = remember(memory, [end], chain.network.finalDepth)
  const checked = await secondLook(chain, node, { covered, before: memory, head }, ours)
  chain.pace.isBehind = end.number < head.number
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
  /** The newest block to be covered; null where there is none yet. */
  end: Header | null
}

async function begin(chain: EvmChain, node: Node, memory: Memory | null): Promise<Begun> {
  const limitOf = (from: bigint) => from + BigInt(node.limits.logBlocks * PIECES)
  // While catching up the other two are needed as well: asked for at once.
  const isBehind = memory !== null && chain.pace.isBehind
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

/** The memory as it was where its newest block is still part of the chain, else cut down to the fork. */
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
    // A head below the cursor with the hash that we remember is a node that lags, not another chain.
    return known === null || known === latest.hash ? memory : backToFork(chain, node, memory, latest)
  }
  if (last === null) return memory
  if (latest.number === memory.number + 1n && latest.parentHash === last) return memory
  const standing = below ?? (await node.ask([header(memory.number)]))[0]
  if (!standing) throw new RetryLater('the node does not have all blocks up to its head')
  return standing.hash === last ? memory : backToFork(chain, node, memory, latest)
}

/** Everything that came above the memory up to this block. */
async function sightingsUpTo(
  chain: EvmChain,
  node: Node,
  memory: Memory,
  end: Header,
  ours: Watchlist,
): Promise<Sighting[] | null> {
  // After the head: whoever was given an address before a block of it was made is among them.
  const [all, expecting] = await Promise.all([ours.all?.(MOST_RECEIVERS) ?? null, ours.expecting?.() ?? []])
  const accounts = [...new Set([chain.treasury, ...expecting])]
  const last = { number: memory.number, hash: hashAt(memory, memory.number) }
  const [found, coins, [standing]] = await Promise.all([
    logsBetween(node, filterFor(chain, all), memory.number + 1n, end.number),
    chain.settings.nativeScan === 'traces'
      ? tracedSince(chain, node, all ?? accounts, last.number, end)
      : coinsSince(chain, node, accounts, last, end),
    node.ask([header(end.number)]),
  ])
  if (found === null || coins === null) return null
  const sweeps = await sweepsIn(chain, found, ours)
  const moved = await movedAround(chain, node, accounts, { last, end }, coins, sweeps)
  if (moved === null) return null
  // Whoever answered for the logs does not have the block that they reach up to, or another one.
  if (standing?.hash !== end.hash) throw new RetryLater('the chain changed while it was read')
  const read = await readBlocks(chain, node, moved, found, ours)
  const [seen, inner] = await Promise.all([
    sightingsIn(chain, node, read, ours),
    innerOf(
      chain,
      node,
      moved,
      read.filter(({ isWhole }) => isWhole),
    ),
  ])
  return [...seen, ...inner]
}

/** Also the blocks in which addresses were emptied: what came to them before in the stretch shows in no balance at its ends. */
async function movedAround(
  chain: EvmChain,
  node: Node,
  accounts: readonly Address[],
  { last, end }: { last: { number: bigint; hash: string | null }; end: Header },
  coins: CoinBlock[],
  sweeps: Sweeps,
): Promise<CoinBlock[] | null> {
  if (sweeps.size === 0) return coins
  const found = await coinsSince(chain, node, accounts, last, end, sweeps)
  if (found === null || chain.settings.nativeScan !== 'traces') return found
  const isFound = new Set(found.map(({ block }) => block.number))
  return [...found, ...coins.filter(({ block }) => !isFound.has(block.number))]
}

function filterFor(chain: EvmChain, receivers: readonly Address[] | null): RangeFilter {
  const address = [...chain.tokens.keys(), ...chain.contracts.depositories, factoryAddress(chain.treasury)]
  const events = [TRANSFER_TOPIC, DEPOSITED_TOPIC, SWEPT_TOPIC]
  if (receivers === null) return { address, topics: [events] }
  // Where a transfer names its receiver our own contracts name the token, which is none for coins.
  const named = [...new Set([chain.treasury, ...receivers, zeroAddress])]
  return { address, topics: [events, null, named.map((one) => pad(one as `0x${string}`).toLowerCase())] }
}

interface ReadBlock extends BlockWithLogs {
  /** With every transaction, not only with those of the logs. */
  isWhole: boolean
}

/** The blocks where coins moved as a whole, those of token deposits with these transactions alone; oldest first. */
async function readBlocks(
  chain: EvmChain,
  node: Node,
  coins: readonly CoinBlock[],
  found: readonly Log[],
  ours: Watchlist,
): Promise<ReadBlock[]> {
  const hits = await depositLogs(chain, found, ours)
  const byNumber = Map.groupBy(hits, ({ blockNumber }) => blockNumber)
  const wholeNumbers = new Set(coins.map(({ block }) => block.number))
  const others = [...byNumber].filter(([number]) => !wholeNumbers.has(number))
  const hashes = others.map(([, logs]) => [...new Set(logs.map(({ txHash }) => txHash))])
  const [whole, headers, transactions] = await Promise.all([
    node.ask(coins.map(({ block }) => fullBlock(block.number))),
    node.ask(others.map(([number]) => header(number))),
    Promise.all(hashes.map((ofBlock) => node.ask(ofBlock.map((hash) => transaction(hash))))),
  ])
  const parts = others.map(([, logs], i): ReadBlock => {
    const transactionsOf = transactions[i]?.filter((one) => one !== null) ?? []
    return { ...standingAs(headers[i], logs[0]?.blockHash), transactions: transactionsOf, logs, isWhole: false }
  })
  const wholes = coins.map(({ block }, i): ReadBlock => {
    const read = whole[i]
    const logs = byNumber.get(block.number) ?? []
    return { ...standingAs(read, block.hash), transactions: read?.transactions ?? [], logs, isWhole: true }
  })
  const blocks = [...parts, ...wholes]
  const isStrange = ({ logs, hash, transactions }: ReadBlock) =>
    logs.some((log) => log.blockHash !== hash || transactions.every((one) => one.hash !== log.txHash))
  if (blocks.some(isStrange)) throw new RetryLater('the chain changed while it was read')
  return blocks.toSorted((a, b) => (a.number < b.number ? -1 : 1))
}

function standingAs<T extends Header>(found: T | null | undefined, hash: string | undefined): T {
  if (!found || found.hash !== hash) throw new RetryLater('the chain changed while it was read')
  return found
}

async function depositLogs(chain: EvmChain, found: readonly Log[], ours: Watchlist): Promise<Log[]> {
  const receivers = found.flatMap((log) => {
    const movement = tokenMovement(chain, log, 0) ?? nativeDeposit(chain, log, 0, zeroAddress)
    return movement ? [{ log, to: movement.to }] : []
  })
  if (receivers.length === 0) return []
  const owned = await ours.owned([...new Set(receivers.map(({ to }) => to))])
  return receivers.filter(({ to }) => owned.has(to)).map(({ log }) => log)
}

/** As the node's traces tell. What a block brought to deposit addresses beside its transactions is told by their balances. */
async function tracedSince(
  chain: EvmChain,
  node: Node,
  accounts: readonly Address[],
  low: bigint,
  end: Header,
): Promise<CoinBlock[] | null> {
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

/** Logs alone: what was missed of them above is found here. What was not is the same deposit again. */
async function secondLook(
  chain: EvmChain,
  node: Node,
  { covered, before, head }: { covered: Memory; before: Memory; head: Header },
  ours: Watchlist,
): Promise<{ sightings: Sighting[]; checkedTo: bigint }> {
  const checkedTo = checkedUpTo(covered, before, head)
  const to = lower(head.number - SECOND_LOOK.depth, covered.number)
  if (to - checkedTo < SECOND_LOOK.blocks) return { sightings: [], checkedTo }
  const receivers = (await ours.all?.(MOST_RECEIVERS)) ?? null
  const found = await logsBetween(node, filterFor(chain, receivers), checkedTo + 1n, to)
  if (found === null) return { sightings: [], checkedTo }
  const blocks = await readBlocks(chain, node, [], found, ours)
  return { sightings: await sightingsIn(chain, node, blocks, ours), checkedTo: to }
}

/** What was read for the first time this far below the head needs no second look. */
function checkedUpTo({ checkedTo, number }: Memory, before: Memory, head: Header): bigint {
  const from = checkedTo ?? before.number
  const deep = lower(head.number - SECOND_LOOK.blocks, number)
  return from >= before.number && deep > from ? deep : from
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
