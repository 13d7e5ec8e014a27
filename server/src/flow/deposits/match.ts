/**
 * From what the chain shows to whose it is. A sighting is stored once, whoever saw it first (block scan, speed-up, a
 * second worker, a rescan), and given to the swap that it names; what names none is kept as unmatched and never paid. Where
 * the chain shows something else at a place than before, that is another deposit.
 */
import { type ChainAdapter, confirmationsFor, mayRepeat, type Sighting, tokenKey } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import {
  assignDeposit,
  depositsAt,
  formerDeposits,
  insertDeposit,
  insertDeposits,
  liveDeposit,
  lockDeposit,
  placeOf,
  refreshDeposit,
  setReplaced,
  setUnmatchedState,
  takenPlaces,
} from '../../store/deposits/deposits.ts'
import { dropReturn, takeUpIgnored } from '../../store/deposits/unmatched.ts'
import {
  type DepositRow,
  findByDepositAddress,
  findByReference,
  lockSwapRows,
  toDeposit,
} from '../../store/swaps/swaps.ts'
import { alertOnce, type Isolation, inSavepoint } from '../lib/error-boundary.ts'
import { applyWithin } from '../swap/advance.ts'
import { isSameDeposit } from './deposit-identity.ts'
import { forgetDeposit } from './drop-deposit.ts'
import { isTreasury, watchlistOf } from './receivers.ts'
import { worthOf } from './required-confirmations.ts'

/** In one statement, whose parameters are bounded. */
const STORED_AT_ONCE = 500

/**
 * Stores sightings and tells their swaps, in the caller's transaction. Answers the lowest block of a deposit that was
 * credited and is shown otherwise now: from there on deposits are to be looked up again.
 */
export async function matchSightings(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sightings: readonly Sighting[],
  apart: Isolation = inSavepoint,
): Promise<bigint | null> {
  const senders = sightings.flatMap(({ refundableSender }) => refundableSender ?? [])
  const ours = await watchlistOf(services, chain, queries).owned(senders)
  // Our own sweeps and change are no deposits.
  const deposits = sightings.filter(
    ({ refundableSender, amount }) => !(refundableSender !== null && ours.has(refundableSender)) && amount.units > 0n,
  )
  const stored = await storeNew(services, queries, chain, deposits, apart)
  let doubtFrom: bigint | null = null
  for (const sighting of deposits) {
    const row = stored.get(sighting)
    if (row) await matchStored(services, queries, chain, row, sighting, apart)
    const doubted = row ? null : await matchSafely(services, queries, chain, sighting, apart)
    if (doubted !== null && (doubtFrom === null || doubted < doubtFrom)) doubtFrom = doubted
  }
  return doubtFrom
}

/**
 * Whoever catches up finds many at once, most of them at places where nothing ever stood: those are stored together. What is
 * not among the answer goes its own way: its place was taken, or what cannot be stored was among them.
 */
async function storeNew(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sightings: readonly Sighting[],
  apart: Isolation,
): Promise<ReadonlyMap<Sighting, DepositRow>> {
  const stored = new Map<Sighting, DepositRow>()
  if (sightings.length < 2) return stored
  const network = chain.network.name
  const problem = await apart(queries, async () => {
    const taken = await takenPlaces(queries, network, sightings)
    const byPlace = new Map(sightings.toReversed().map((sighting) => [placeOf(sighting), sighting]))
    const fresh = [...byPlace].filter(([place]) => !taken.has(place)).map(([, sighting]) => sighting)
    const wanted = fresh.map((sighting) => ({ sighting, depth: ownDepth(services, chain, sighting) }))
    for (let start = 0; start < wanted.length; start += STORED_AT_ONCE) {
      const some = wanted.slice(start, start + STORED_AT_ONCE)
      for (const row of await insertDeposits(queries, network, some, services.now())) {
        const sighting = byPlace.get(placeOf({ txHash: row.tx_hash, index: row.index }))
        if (sighting) stored.set(sighting, row)
      }
    }
  })
  return problem === null ? stored : new Map()
}

/** Nothing stood at its place before. Where its swap cannot be told it stays nobody's, for a person to decide. */
async function matchStored(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
  sighting: Sighting,
  apart: Isolation,
): Promise<void> {
  const work = () => match(services, queries, chain, deposit, sighting, [])
  // Who names nobody is looked for nowhere: dust by the hundred costs one statement.
  if (namesNobody(chain, sighting)) return work()
  const problem = await apart(queries, work)
  const id = `${chain.network.name} ${sighting.txHash} ${sighting.index}`
  if (problem !== null) alertOnce(services, { what: 'sighting', id }, problem)
}

/** A sighting whose swap cannot be told is kept as nobody's, for a person to decide: the scan must go on. */
async function matchSafely(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sighting: Sighting,
  apart: Isolation,
): Promise<bigint | null> {
  const network = chain.network.name
  const item = { what: 'sighting', id: `${network} ${sighting.txHash} ${sighting.index}` }
  let doubted: bigint | null = null
  const problem = await apart(queries, async () => {
    doubted = await matchOne(services, queries, chain, sighting)
  })
  if (problem === null) return doubted
  alertOnce(services, item, problem)
  const worse = await apart(queries, async () => {
    const live = await liveDeposit(queries, network, sighting)
    const isOver = live !== null && (live.state === 'gone' || live.state === 'lost') && !isSameDeposit(sighting, live)
    if (isOver) await setReplaced(queries, live.id, true)
    if (!live || isOver)
      await insertDeposit(queries, network, sighting, ownDepth(services, chain, sighting), services.now())
  })
  if (worse !== null) alertOnce(services, { ...item, what: 'sighting that cannot be kept', sighting }, worse)
  return null
}

async function matchOne(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sighting: Sighting,
): Promise<bigint | null> {
  const all = await depositsAt(queries, chain.network.name, sighting)
  const live = all.find(({ replaced }) => !replaced)
  const known = live ? await lockLive(queries, live) : null
  // Where it was replaced a moment ago what stood there is read again.
  if (!known) return begin(services, queries, chain, sighting, live ? undefined : all)
  const isSame = isSameDeposit(sighting, known)
  if (known.state === 'confirmed' && (!isSame || sighting.amount.units !== known.units)) {
    // What was credited is judged by the re-read that every credit is: a sighting may come from a node that lags.
    services.log.warn({ network: known.network, txHash: known.tx_hash }, 'a credited deposit is shown otherwise')
    return sighting.block === null || known.final ? null : known.block_number
  }
  if (isSame && !isLessThanSpent(sighting, known)) {
    await seeAgain(services, queries, chain, known, sighting)
    return null
  }
  // What waits in a mempool displaces nothing that stands in a block.
  if (sighting.block === null && known.block_number !== null) return null
  services.log.warn({ network: known.network, txHash: known.tx_hash }, 'another deposit stands at the place of one')
  if (known.state === 'seen') await forgetDeposit(services, queries, chain, known)
  await setReplaced(queries, known.id, true)
  return begin(services, queries, chain, sighting)
}

/** The live deposit of a place, with its swap and itself locked, in the order in which everybody locks. */
async function lockLive(queries: Queries, { id, swap_id }: DepositRow): Promise<DepositRow | null> {
  await lockSwapRows(queries, swap_id ? [swap_id] : [])
  const locked = await lockDeposit(queries, id)
  return locked && !locked.replaced ? locked : null
}

/** Came back with less than was spent of it: it does not make the loss good, and is a person's to decide about. */
function isLessThanSpent({ amount }: Sighting, { state, output_units, refund_units }: DepositRow): boolean {
  return state === 'lost' && amount.units < output_units + refund_units
}

async function seeAgain(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  known: DepositRow,
  sighting: Sighting,
): Promise<void> {
  const deposit = await refreshDeposit(queries, known, sighting, services.now())
  if (known.state !== 'gone') return
  if (deposit.swap_id) await tell(services, queries, deposit, deposit.swap_id)
  else {
    await setUnmatchedState(queries, deposit.id, 'seen', 'gone')
    // What was said of it was said of what it was: it may bring more now, and is on the list again.
    await takeUpIgnored(queries, deposit.id)
    await dropReturn(queries, deposit.id)
    // What a person has decided about is nobody else's to give away.
    if (deposit.resolution !== null) return
    const former = await formerDeposits(queries, deposit.network, sighting)
    await match(services, queries, chain, deposit, sighting, former)
  }
}

/** A deposit begins, or one goes on that had stood at this place before. */
async function begin(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sighting: Sighting,
  known?: readonly DepositRow[],
): Promise<bigint | null> {
  const network = chain.network.name
  const former = known ?? (await formerDeposits(queries, network, sighting))
  const before = former.find((row) => isSameDeposit(sighting, row) && !isLessThanSpent(sighting, row))
  if (before) {
    await setReplaced(queries, before.id, false)
    return matchOne(services, queries, chain, sighting)
  }
  const wanted = ownDepth(services, chain, sighting)
  const deposit = await insertDeposit(queries, network, sighting, wanted, services.now())
  // Somebody else stored it at this moment.
  if (!deposit) return matchOne(services, queries, chain, sighting)
  await match(services, queries, chain, deposit, sighting, former)
  return null
}

async function match(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
  sighting: Sighting,
  former: readonly DepositRow[],
): Promise<void> {
  const network = chain.network.name
  // Money of this transaction was spent already, and went: what came instead is never paid out a second time by itself.
  const wasLost = former.some(({ state }) => state === 'lost')
  const swapId = wasLost ? null : await findSwap(services, queries, chain, sighting)
  if (wasLost) {
    services.metrics.alerts.inc()
    const fields = { network, txHash: sighting.txHash, depositId: deposit.id }
    services.log.error(fields, 'a deposit stands where one was lost: it waits for a decision')
  }
  services.metrics.deposits.inc({ network, outcome: swapId ? 'matched' : 'unmatched' })
  if (!swapId) {
    services.log.warn({ network, txHash: sighting.txHash, depositId: deposit.id }, 'deposit matches no swap')
    return
  }
  await lockSwapRows(queries, [swapId])
  await assignDeposit(queries, deposit.id, swapId)
  await tell(services, queries, deposit, swapId)
}

async function tell(services: Services, queries: Queries, deposit: DepositRow, swapId: string): Promise<void> {
  const { network, tx_hash: txHash, units } = deposit
  await applyWithin(services, queries, swapId, {
    type: 'deposit_seen',
    deposit: { ...toDeposit(deposit), state: 'seen' },
  })
  services.log.info({ network, swapId, txHash, units: `${units}` }, 'deposit seen')
}

/** A swap is never given what stood in a block before it was made, however far a reorg might reach. */
async function findSwap(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  { amount, to, reference, refundableSender, block, txHash, doubt }: Sighting,
): Promise<string | null> {
  if (doubt !== undefined) {
    services.log.warn({ network: chain.network.name, txHash, reason: doubt }, 'a deposit is given to nobody by itself')
    return null
  }
  const { name: network, finalDepth } = chain.network
  const madeUpTo = block === null ? null : block.number + BigInt(finalDepth)
  const place = { network, token: tokenKey(amount.token), receiver: to, madeUpTo }
  if (!(await isTreasury(queries, chain, to))) return findByDepositAddress(queries, { ...place, units: amount.units })
  if (reference === null) return null
  // A short reference may have been another swap's that a rolled-back database has lost: the sender tells them apart.
  const sender = mayRepeat(chain.references?.bits) ? refundableSender : undefined
  return findByReference(queries, { ...place, reference, sender })
}

/** It came to the treasury without a number, or may not be given to anybody by itself. */
export function namesNobody({ treasury }: ChainAdapter, { doubt, to, reference }: Sighting): boolean {
  return doubt !== undefined || (to === treasury && reference === null)
}

/** What the deposit alone wants; what it wants together with others is judged on every head. */
export function ownDepth(services: Services, chain: ChainAdapter, { amount, requiresFinality }: Sighting): number {
  if (requiresFinality) return chain.network.finalDepth
  return confirmationsFor(chain.network, worthOf(services.market, amount.token, amount.units))
}
