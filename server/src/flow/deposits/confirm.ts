/**
 * Confirmations of deposits. A deposit is read again from the chain at the depth that its value wants before it counts;
 * when a reorg replaces its block it is looked up anew (`recheck`). Runs on every new head, under the network's lease. Each deposit is
 * worked on by itself: one that cannot be helped keeps no other waiting.
 */
import {
  type BlockRef,
  type ChainAdapter,
  type Inspection,
  ONE,
  type Scan,
  type Sighting,
  type TxHash,
  tokenKey,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import {
  findConfirmable,
  findLost,
  formerDeposits,
  hasSpentSibling,
  lockDeposit,
  refreshDeposit,
  setBlock,
  setBlockTime,
  setMissing,
  takeFromSwap,
  type Weights,
  wasSeenLate,
} from '../../store/deposits/deposits.ts'
import { dropReturn } from '../../store/deposits/unmatched.ts'
import { type DepositRow, lockSwapRows } from '../../store/swaps/swaps.ts'
import { isolateErrors } from '../lib/error-boundary.ts'
import { applyWithin } from '../swap/advance.ts'
import { isSameDeposit } from './deposit-identity.ts'
import { forgetDeposit, settleUnmatched } from './drop-deposit.ts'
import { matchSightings, namesNobody, ownDepth } from './match.ts'
import { watchlistOf } from './receivers.ts'
import { judgeDepths } from './required-confirmations.ts'

/** More ripe deposits than this in one round wait for the next head. */
const BATCH = 200
/** So many are worked on side by side: the pool of connections is everybody's. */
const SIDE_BY_SIDE = 8
/** Nodes are asked about so many ahead of their turn: such questions travel together, and one round trip serves them all. */
const AHEAD = 32
/** An answer that has waited longer for its turn is asked for again: a reorg does not wait. */
const AHEAD_MS = 2_000
/** What is not looked up by then waits for the next round, so that others have their turn: payouts that landed, new blocks. */
const ROUND_MS = 30_000
/** Lost ones looked up on a head. They come back by chance or never. */
const LOST_BATCH = 20
/** A deposit that is gone is looked up for so many times the final depth. */
export const LOOKED_UP_FOR = 2n

/**
 * Work in a transaction, which fails where the lease has moved on: whoever was paused since it asked its node knows
 * nothing any more.
 */
export type Fenced = (work: (queries: Queries) => Promise<void>) => Promise<void>

/** What a node was asked about a transaction, and when. */
interface Look {
  answer: Promise<Inspection>
  at: number
}

export type Looks = ReadonlyMap<TxHash, Look>

/**
 * Asks about what may count as soon as it is stored, while it is being stored. Every answer is one of its own, younger than the
 * scan; one that has become old, or that nobody needs, is dropped.
 */
export function lookAtSightings(services: Services, chain: ChainAdapter, { sightings, scannedTo }: Scan): Looks {
  const at = services.now().getTime()
  // What names nobody counts for nobody: it waits for its turn.
  const isRipe = (sighting: Sighting) =>
    sighting.block !== null &&
    !namesNobody(chain, sighting) &&
    sighting.block.number + BigInt(ownDepth(services, chain, sighting)) <= scannedTo + 1n
  const ripe = new Set(sightings.filter(isRipe).map(({ txHash }) => txHash))
  const looks = new Map<TxHash, Look>()
  for (const txHash of [...ripe].slice(0, AHEAD)) {
    const answer = chain.inspect(txHash, watchlistOf(services, chain))
    // What goes wrong is told to those whose turn it is.
    answer.catch(() => undefined)
    looks.set(txHash, { answer, at })
  }
  return looks
}

/** Counts the deposits that are deep enough now. False where some must be tried again before the next head. */
export async function confirmDeposits(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  head: bigint,
  looks: Looks = new Map(),
): Promise<boolean> {
  const { database } = services
  const network = chain.network.name
  await judgeDepths(services, chain.network, head)
  const [ripe, lost] = await Promise.all([
    findConfirmable(database, network, head, weightsOf(services, chain), BATCH),
    findLost(database, network, LOST_BATCH),
  ])
  const all = [...ripe, ...lost]
  const look = lookingAhead(services, chain, all, looks)
  return eachApart(services, all, async (deposit) => {
    const [found, isLate] = await Promise.all([look(deposit), wasSeenLate(database, deposit.id)])
    await confirmDeposit(services, chain, fenced, { deposit, found, isLate }, head)
  })
}

/** Asks about a deposit when its turn has come, and about those behind it beside. */
function lookingAhead(
  services: Services,
  chain: ChainAdapter,
  deposits: readonly DepositRow[],
  looks: Looks,
): (deposit: DepositRow) => Promise<Inspection> {
  const now = () => services.now().getTime()
  const asked = new Map<DepositRow, Look>()
  const askNow = (deposit: DepositRow) => {
    const answer = chain.inspect(deposit.tx_hash, watchlistOf(services, chain))
    asked.set(deposit, { answer, at: now() })
    return answer
  }
  const knownOf = (deposit: DepositRow) => asked.get(deposit) ?? looks.get(deposit.tx_hash)
  return (deposit) => {
    const from = deposits.indexOf(deposit)
    // What goes wrong is told to those whose turn it is.
    for (const next of deposits.slice(from, from + AHEAD)) if (!knownOf(next)) askNow(next).catch(() => undefined)
    const known = knownOf(deposit)
    return known && Math.abs(now() - known.at) <= AHEAD_MS ? known.answer : askNow(deposit)
  }
}

/** What a base unit of each token is worth, against the others. */
function weightsOf({ market }: Services, { network }: ChainAdapter): Weights {
  return new Map(
    network.tokens.map((token) => {
      const price = market.price(token)
      return [tokenKey(token), price === null ? null : (price * ONE) / 10n ** BigInt(token.decimals)]
    }),
  )
}

/**
 * Some at a time, each by itself; those of one swap one after the other, in their order: what is worth most of it is judged
 * before a stranger's dust. False where one of them may go well later.
 */
export async function eachApart(
  services: Services,
  deposits: readonly DepositRow[],
  work: (deposit: DepositRow) => Promise<void>,
): Promise<boolean> {
  const waiting = [...Map.groupBy(deposits, ({ id, swap_id }) => swap_id ?? id).values()]
  const until = services.now().getTime() + ROUND_MS
  let isDone = true
  const take = async () => {
    for (let ofSwap = waiting.shift(); ofSwap; ofSwap = waiting.shift()) {
      for (const deposit of ofSwap) {
        if (services.now().getTime() > until) {
          isDone = false
          return
        }
        const { id, network, tx_hash: txHash, swap_id: swapId } = deposit
        const item = { what: 'deposit', id, network, txHash, swapId }
        if (!(await isolateErrors(services, item, () => work(deposit)))) isDone = false
      }
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, take))
  return isDone
}

async function confirmDeposit(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  { deposit, found, isLate }: { deposit: DepositRow; found: Inspection; isLate: boolean },
  head: bigint,
): Promise<void> {
  const network = chain.network.name
  const { log, metrics } = services
  // What it stood in was replaced: whether that branch shows it or not, it is not where it counts.
  const isOfOldBranch = isOfReplacedBlock(found, deposit)
  if (found.state !== 'included' || isOfOldBranch) {
    if (deposit.state !== 'seen') return
    const fields = { network, txHash: deposit.tx_hash, state: found.state, isOfOldBranch }
    log.warn(fields, 'deposit not found where it was seen')
    if (found.state !== 'pending') await miss(services, chain, fenced, deposit, head)
    return
  }
  const sighting = shownAt(deposit, found.sightings)
  // Its loss is booked, and what brings nothing makes it good no more than what is not there.
  if (!sighting && deposit.state === 'lost' && deposit.swap_id !== null) return
  if (!sighting || !isSameDeposit(sighting, deposit)) return displace(services, chain, fenced, deposit, sighting)
  if (found.block.hash !== deposit.block_hash || deposit.missing_from !== null) {
    await setBlock(services.database, deposit.id, found.block)
    // It lands again among others: how deep it must lie is judged with them first.
    if (deposit.state === 'lost') return
  }
  if (found.confirmations < deposit.confirmations_wanted) return
  const blockAt = isLate ? await blockTimeOf(services, chain, deposit, found.block) : null
  await fenced(async (queries) => {
    const known = await lockUnchanged(queries, deposit)
    if (!known) return
    const fresh = await refreshDeposit(queries, known, sighting, services.now())
    const { id: depositId, swap_id: swapId } = known
    const { units } = sighting.amount
    if (known.state === 'lost' && units < known.output_units + known.refund_units) {
      // It does not make the loss good: it is another deposit then, for a person to decide about.
      await matchSightings(services, queries, chain, [sighting])
      return
    }
    const beside = known.state === 'seen' ? await hasSpentSibling(queries, known) : null
    if (beside === 'shaken') return
    metrics.deposits.inc({ network, outcome: 'confirmed' })
    if (beside === 'lost' && swapId) return giveToNobody(services, queries, chain, fresh, swapId)
    // Whoever decides about what is nobody's must know it as well.
    if (beside === 'lost' && !(await wasToldAtOnce(queries, known))) tellOfLost(services, known)
    if (blockAt) await setBlockTime(queries, depositId, blockAt)
    if (swapId) await applyWithin(services, queries, swapId, { type: 'deposit_confirmed', depositId, units })
    else await settleUnmatched(services, queries, chain, fresh, 'confirmed')
  })
}

/** Money of its transaction went already, for what stood at another place: nobody is paid a second time by itself. */
async function giveToNobody(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
  swapId: string,
): Promise<void> {
  const { id: depositId } = deposit
  tellOfLost(services, deposit)
  await applyWithin(services, queries, swapId, { type: 'deposit_gone', depositId })
  await takeFromSwap(queries, depositId)
  // Whatever was said of it before counts no more.
  await dropReturn(queries, depositId)
  await settleUnmatched(services, queries, chain, { ...deposit, swap_id: null, state: 'seen' }, 'confirmed')
}

function tellOfLost(
  { log, metrics }: Services,
  { id: depositId, network, tx_hash: txHash, swap_id: swapId }: DepositRow,
) {
  metrics.alerts.inc()
  log.error({ network, txHash, depositId, swapId }, 'a deposit stands where one was lost: it waits for a decision')
}

/** What stands at the very place of a lost one is told of as soon as it is seen. */
async function wasToldAtOnce(queries: Queries, { network, tx_hash: txHash, index }: DepositRow): Promise<boolean> {
  return (await formerDeposits(queries, network, { txHash, index })).some(({ state }) => state === 'lost')
}

/**
 * A depositor who was in time does not pay for a watcher that was not: what was seen after the quote's term is judged by its
 * block's own time. Where the node does not tell it, by when it was seen.
 */
async function blockTimeOf(
  { log }: Services,
  chain: ChainAdapter,
  { tx_hash: txHash }: DepositRow,
  block: BlockRef,
): Promise<Date | null> {
  try {
    return (await chain.blockTimes?.timeOf(block)) ?? null
  } catch (error) {
    log.warn({ network: chain.network.name, txHash, err: error }, 'the time of a block is not known')
    return null
  }
}

/** What stands at the deposit's place; null where nothing of ours does. */
export function shownAt({ index }: DepositRow, sightings: readonly Sighting[]): Sighting | null {
  return sightings.find((sighting) => sighting.index === index && sighting.amount.units > 0n) ?? null
}

/** Told by a node that still follows a branch which was left: that proves nothing, neither for the deposit nor against it. */
export function isOfReplacedBlock(found: Inspection, { replaced_blocks }: DepositRow): boolean {
  return 'block' in found && replaced_blocks.includes(found.block.hash)
}

/** Locks the deposit and its swap. Null where somebody else has moved it on meanwhile. */
async function lockUnchanged(queries: Queries, { id, state, swap_id }: DepositRow): Promise<DepositRow | null> {
  await lockSwapRows(queries, swap_id ? [swap_id] : [])
  const known = await lockDeposit(queries, id)
  return known && known.state === state && known.swap_id === swap_id && !known.replaced ? known : null
}

/** The transaction brought something else to the deposit's place, or nothing: it is judged anew as what it is now. */
export async function displace(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  deposit: DepositRow,
  sighting: Sighting | null,
): Promise<void> {
  const fields = { network: chain.network.name, txHash: deposit.tx_hash, index: deposit.index }
  services.log.error(fields, 'deposit is not what it was when it was seen')
  await fenced(async (queries) => {
    const known = await lockUnchanged(queries, deposit)
    if (!known) return
    await forgetDeposit(services, queries, chain, known)
    if (sighting) await matchSightings(services, queries, chain, [sighting])
  })
}

/**
 * A node that does not know a transaction once is no proof of anything, and the scan tells of reorgs, but not of all: what
 * a client's hint found in a block that the scan had not reached can be dropped unseen. What stays unknown for as many
 * blocks as a reorg might reach is gone.
 */
async function miss(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  deposit: DepositRow,
  head: bigint,
): Promise<void> {
  if (deposit.missing_from === null) await setMissing(services.database, deposit.id, head)
  else if (head >= deposit.missing_from + BigInt(chain.network.finalDepth))
    await fenced((queries) => forgetDeposit(services, queries, chain, deposit))
}
