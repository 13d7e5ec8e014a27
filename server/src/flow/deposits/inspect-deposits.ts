/**
 * Inspects the transactions listed in `deposit_look`, on every new head and under the network's lease. A single node
 * may lag or be wrong, so its answer is only an observation: `judgeDeposit` decides. One transaction delays no other.
 */
import {
  type BlockRef,
  type ChainAdapter,
  type Inspection,
  type LookClass,
  ONE,
  type Scan,
  type ScanClock,
  type TxHash,
  tokenKey,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { findDue, hasLateDeposit, type Weights } from '../../store/deposits/deposits.ts'
import { findLooks, findUnanswered, lockSubjects } from '../../store/deposits/observations.ts'
import { isolateErrors } from '../lib/error-boundary.ts'
import { namesNoSwap } from './match.ts'
import { watchlistOf } from './receivers.ts'
import { recordObservations, toObservation, toTransfers } from './record-observations.ts'
import { decideDepths, ownDepth } from './required-confirmations.ts'

/** The most inspections per class and head; the rest wait for the next head. */
const BATCH = 200
/** The limit for lost and unlocatable transactions, which are rarely found. */
const HOPELESS_BATCH = 20
/** Concurrent inspections, limited because they share the connection pool. */
const CONCURRENCY = 8
/** Nodes are asked about this many transactions in advance, in one round trip. */
const AHEAD = 32
/** A prefetched answer older than this is asked for again, since a reorg may have happened. */
const AHEAD_MS = 2_000
/** After this time the rest wait for the next round, so that payouts and new blocks are not delayed. */
const ROUND_MS = 30_000

/**
 * Runs work in a transaction that fails if the lease has moved to another process: the answer of a process that was
 * paused may be outdated.
 */
export type Fenced = (work: (queries: Queries) => Promise<void>) => Promise<void>

interface Asked {
  answer: Promise<Inspection>
  at: number
}
export type Prefetched = ReadonlyMap<TxHash, Asked>

/** One network at one scan position. `clock` was read before any node was asked. */
export interface Round {
  services: Services
  chain: ChainAdapter
  fenced: Fenced
  clock: ScanClock
  mayCredit?: boolean
}

interface Subject {
  txHash: TxHash
  swapId: string | null
}

/** Asks the node about transfers that may be credited at once, while they are still being stored. */
export function prefetchInspections(
  services: Services,
  chain: ChainAdapter,
  { sightings, scannedTo }: Scan,
): Prefetched {
  const due = sightings.filter(({ block, amount, requiresFinality = false, ...transfer }) => {
    const own = { token: tokenKey(amount.token), units: amount.units, requiresFinality }
    const depth = BigInt(ownDepth(services, chain.network, own))
    return block !== null && !namesNoSwap(chain, transfer) && block.number + depth <= scannedTo + 1n
  })
  const hashes = [...new Set(due.map(({ txHash }) => txHash))].slice(0, AHEAD)
  return new Map(hashes.map((txHash) => [txHash, ask(services, chain, txHash)]))
}

/** Inspects deposits after a reorg. False if some must be retried before the next head. */
export async function reverifyDeposits(round: Round): Promise<boolean> {
  const { services, chain, fenced, clock } = round
  const { name: network, finalDepth } = chain.network
  const isDone = await inspectAll(round, await findSubjects(round, 'reverify', BATCH))
  // No node has located these transactions within the final depth: judging them again alerts an operator.
  for (const txHash of await findUnanswered(services.database, network, clock.head - BigInt(finalDepth))) {
    await fenced(async (queries) => {
      await lockSubjects(queries, network, txHash)
      await recordObservations(services, queries, chain, [], { also: [txHash] })
    })
  }
  return isDone
}

/**
 * Inspects deposits with enough confirmations, the most valuable first, and some lost ones. False if some must be
 * retried before the next head.
 */
export async function creditDeposits(round: Round, prefetched: Prefetched): Promise<boolean> {
  const { services, chain, fenced, clock } = round
  const { database } = services
  await decideDepths(services, chain.network, clock.head, fenced)
  const [due, lost] = await Promise.all([
    findDue(database, chain.network.name, clock.head, weightsOf(services, chain), BATCH),
    findSubjects(round, 'lost', HOPELESS_BATCH),
  ])
  return inspectAll({ ...round, mayCredit: true }, [...due, ...lost], prefetched)
}

/** Inspects transactions in the mempool and orphaned ones: the scan does not read their blocks again. */
export async function inspectWaiting(round: Round): Promise<void> {
  for (const name of ['mempool', 'orphaned'] as const) await inspectAll(round, await findSubjects(round, name, BATCH))
}

export async function inspectUnlocatable(round: Round): Promise<void> {
  await inspectAll(round, await findSubjects(round, 'unlocatable', HOPELESS_BATCH))
}

async function findSubjects({ services, chain }: Round, name: LookClass, limit: number): Promise<Subject[]> {
  const hashes = await findLooks(services.database, chain.network.name, name, limit)
  return hashes.map((txHash) => ({ txHash, swapId: null }))
}

/**
 * Runs inspections with limited concurrency, each isolated. Deposits of one swap go one after the other, so that the
 * largest is judged before dust. False if one of them may succeed later.
 */
async function inspectAll(
  round: Round,
  subjects: readonly Subject[],
  prefetched: Prefetched = new Map(),
): Promise<boolean> {
  const { services, chain } = round
  const network = chain.network.name
  const hashes = subjects.map(({ txHash }) => txHash)
  const inspect = askAhead(services, chain, hashes, prefetched)
  const waiting = [...Map.groupBy(subjects, ({ txHash, swapId }) => swapId ?? txHash).values()]
  const until = services.now().getTime() + ROUND_MS
  let isDone = true
  const take = async () => {
    for (let ofSwap = waiting.shift(); ofSwap; ofSwap = waiting.shift()) {
      for (const { txHash, swapId } of ofSwap) {
        if (services.now().getTime() > until) {
          isDone = false
          return
        }
        const item = { what: 'deposit', id: `${network} ${txHash}`, network, txHash, swapId }
        const work = async () => recordInspection(round, txHash, await inspect(txHash))
        if (!(await isolateErrors(services, item, work))) isDone = false
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, take))
  return isDone
}

function ask(services: Services, chain: ChainAdapter, txHash: TxHash): Asked {
  const answer = chain.inspect(txHash, watchlistOf(services, chain))
  // A failed prefetch is reported when its transaction is inspected.
  answer.catch(() => undefined)
  return { answer, at: services.now().getTime() }
}

/** Asks about a transaction when its turn comes, and about the next ones in advance. */
function askAhead(
  services: Services,
  chain: ChainAdapter,
  hashes: readonly TxHash[],
  prefetched: Prefetched,
): (txHash: TxHash) => Promise<Inspection> {
  const asked = new Map(prefetched)
  return (txHash) => {
    const from = hashes.indexOf(txHash)
    for (const next of hashes.slice(from, from + AHEAD))
      if (!asked.has(next)) asked.set(next, ask(services, chain, next))
    const known = asked.get(txHash)
    if (known && Math.abs(services.now().getTime() - known.at) <= AHEAD_MS) return known.answer
    return ask(services, chain, txHash).answer
  }
}

async function recordInspection(
  { services, chain, fenced, clock, mayCredit = false }: Round,
  txHash: TxHash,
  found: Inspection,
): Promise<void> {
  const transfers = await toTransfers(services, chain, 'sightings' in found ? found.sightings : [])
  const observation = toObservation(found, 'inspection', clock, [...transfers.values()])
  const isLate = 'block' in found && (await hasLateDeposit(services.database, chain.network.name, txHash))
  const blockAt = isLate ? await blockTimeOf(services, chain, txHash, found.block) : null
  await fenced(async (queries) => {
    await lockSubjects(queries, chain.network.name, txHash)
    await recordObservations(services, queries, chain, [{ txHash, observation }], { blockAt, mayCredit })
  })
}

/**
 * A deposit seen after its quote expired is judged by its block's time, so that the depositor does not pay for a late
 * watcher. Null if the node does not know the time.
 */
async function blockTimeOf(
  { log }: Services,
  chain: ChainAdapter,
  txHash: TxHash,
  block: BlockRef,
): Promise<Date | null> {
  try {
    return (await chain.blockTimes?.timeOf(block)) ?? null
  } catch (error) {
    log.warn({ network: chain.network.name, txHash, err: error }, 'the time of a block is not known')
    return null
  }
}

/** The value of a base unit per token, to compare deposits; null if the token has no price. */
function weightsOf({ market }: Services, { network }: ChainAdapter): Weights {
  return new Map(
    network.tokens.map((token) => {
      const price = market.price(token)
      return [tokenKey(token), price === null ? null : (price * ONE) / 10n ** BigInt(token.decimals)]
    }),
  )
}
