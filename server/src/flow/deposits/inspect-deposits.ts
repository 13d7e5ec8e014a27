/**
 * Inspects the transactions that `deposit_look` names, on every new head and under the network's lease. Which node answers is
 * not ours to choose, so an answer is only an observation: `judgeDeposit` decides. One transaction delays no other.
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

/** More than this of one class wait for the next head. */
const BATCH = 200
/** Lost and unlocatable ones: they are found by chance or never. */
const HOPELESS_BATCH = 20
/** Inspected at once: the pool of connections is shared. */
const CONCURRENCY = 8
/** Nodes are asked about this many in advance: one round trip serves them all. */
const AHEAD = 32
/** An answer that has waited longer is asked for again: a reorg does not wait. */
const AHEAD_MS = 2_000
/** The rest waits for the next round, so that payouts and new blocks get their turn. */
const ROUND_MS = 30_000

/** Runs work in a transaction, which fails if the lease has moved on: a process that was paused since it asked knows nothing. */
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

/** Asks about transfers that may be credited as soon as they are stored, while they are being stored. */
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

/** After a reorg. False if some must be tried again before the next head. */
export async function reverifyDeposits(round: Round): Promise<boolean> {
  const { services, chain, fenced, clock } = round
  const { name: network, finalDepth } = chain.network
  const isDone = await inspectAll(round, await findSubjects(round, 'reverify', BATCH))
  // No node told where they are for the final depth: the judgement alerts an operator.
  for (const txHash of await findUnanswered(services.database, network, clock.head - BigInt(finalDepth))) {
    await fenced(async (queries) => {
      await lockSubjects(queries, network, txHash)
      await recordObservations(services, queries, chain, [], { also: [txHash] })
    })
  }
  return isDone
}

/** Those that are deep enough now, the most valuable first, and some lost ones. False if some must be tried again. */
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

/** In the mempool, and orphaned ones: the scan does not come by their blocks again. */
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
 * Some at a time, each alone; those of one swap one after the other in their order, so that the largest is judged before
 * dust. False if one of them may succeed later.
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
  // A failure is reported when its turn has come.
  answer.catch(() => undefined)
  return { answer, at: services.now().getTime() }
}

/** Asks about a transaction when its turn has come, and about those behind it. */
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
 * A deposit that was seen after its quote expired is judged by its block's time: the depositor does not pay for a late
 * watcher. Null if the node does not tell it.
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

/** The value of a base unit of each token, relative to the others; null if it has no price. */
function weightsOf({ market }: Services, { network }: ChainAdapter): Weights {
  return new Map(
    network.tokens.map((token) => {
      const price = market.price(token)
      return [tokenKey(token), price === null ? null : (price * ONE) / 10n ** BigInt(token.decimals)]
    }),
  )
}
