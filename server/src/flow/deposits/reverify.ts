/**
 * Deposits that are looked up again: those whose block a reorg replaced, those that wait in a mempool, and those that are gone.
 * Which node answers is not ours to say: after a reorg some still follow the branch that was left, so one answer settles
 * nothing. Runs under the network's lease; one that cannot be looked up keeps nothing else waiting.
 */
import type { ChainAdapter, Inspection, Scan, Sighting } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { findGone, findWaiting } from '../../store/deposits/deposits.ts'
import {
  doubtFrom,
  findShaken,
  setReadAgain,
  shakeFrom,
  shakenAmong,
  steadyDeposit,
  takeUntold,
} from '../../store/deposits/shaken.ts'
import type { DepositRow } from '../../store/swaps/swaps.ts'
import { isolateErrors } from '../lib/error-boundary.ts'
import { displace, eachApart, type Fenced, isOfReplacedBlock, LOOKED_UP_FOR, shownAt } from './confirm.ts'
import { isSameDeposit } from './deposit-identity.ts'
import { forgetDeposit } from './drop-deposit.ts'
import { matchSightings } from './match.ts'
import { watchlistOf } from './receivers.ts'

/** More than this in one round wait for the next head. */
const BATCH = 200
/** Of those that a person was told of: a better node may come any time, or never. */
const TOLD_BATCH = 20

/**
 * Blocks were replaced: whatever stood there is marked, before what the scan shows instead is stored. In the transaction that
 * stores the scan: only where its position is kept does the next one come by what was marked, and take marks too many away.
 */
export async function shakeDeposits(
  { log }: Services,
  queries: Queries,
  { network: { name: network } }: ChainAdapter,
  { reorgFrom, scannedTo }: Scan,
): Promise<void> {
  if (reorgFrom === null) return
  const deposits = await shakeFrom(queries, network, reorgFrom, scannedTo)
  log.warn({ network, from: `${reorgFrom}`, deposits }, 'blocks were replaced')
}

/** What the scan itself shows in its place again, as it was, is shaken no more. In the transaction that stores the scan. */
export async function steadySeen(queries: Queries, network: string, sightings: readonly Sighting[]): Promise<void> {
  const inBlocks = sightings.filter(({ block }) => block !== null)
  if (inBlocks.length === 0) return
  const byHash = Map.groupBy(inBlocks, ({ txHash }) => txHash)
  for (const deposit of await shakenAmong(queries, network, [...byHash.keys()])) {
    const sighting = shownAt(deposit, byHash.get(deposit.tx_hash) ?? [])
    if (!sighting?.block || sighting.block.hash !== deposit.block_hash) continue
    if (isUnchanged(deposit, sighting)) await steadyDeposit(queries, deposit.id, sighting.block)
  }
}

/**
 * Looks up what is shaken, on every head until it is certain where it stands. False where some must be tried again before the
 * next head. Whatever no node has told of for the final depth is shown to a person, and waited for no longer.
 */
export async function recheckShaken(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  head: bigint,
): Promise<boolean> {
  const { database, log, metrics } = services
  const { name: network, finalDepth } = chain.network
  const shaken = await findShaken(database, network, false, BATCH)
  const isDone = await eachApart(services, shaken, (deposit) => recheck(services, chain, fenced, deposit, head))
  for (const deposit of await takeUntold(database, network, head - BigInt(finalDepth))) {
    const { id: depositId, tx_hash: txHash, swap_id: swapId } = deposit
    metrics.alerts.inc()
    log.error(
      { network, txHash, depositId, swapId },
      'no node says where a deposit stands since its block was replaced',
    )
  }
  return isDone
}

/** The same of those that a person was told of: nobody waits for them, and one answer brings them back. */
export async function recheckTold(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  head: bigint,
): Promise<void> {
  const told = await findShaken(services.database, chain.network.name, true, TOLD_BATCH)
  await eachApart(services, told, (deposit) => recheck(services, chain, fenced, deposit, head))
}

async function recheck(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  deposit: DepositRow,
  head: bigint,
): Promise<void> {
  const found = await chain.inspect(deposit.tx_hash, watchlistOf(services, chain))
  if (isOfReplacedBlock(found, deposit)) return
  if (found.state !== 'included') return fenced((queries) => forgetDeposit(services, queries, chain, deposit))
  const sighting = shownAt(deposit, found.sightings)
  if (!isUnchanged(deposit, sighting)) return displace(services, chain, fenced, deposit, sighting)
  const lookAgainAt = isFinal(chain, found, head) ? null : head
  await fenced((queries) => setReadAgain(queries, deposit.id, found.block, lookAgainAt))
}

function isUnchanged(deposit: DepositRow, sighting: Sighting | null): boolean {
  return (
    sighting !== null &&
    isSameDeposit(sighting, deposit) &&
    (deposit.state !== 'confirmed' || sighting.amount.units === deposit.units)
  )
}

/** By the node's word and by how far the scan has come. */
function isFinal({ network }: ChainAdapter, found: Inspection & { state: 'included' }, head: bigint): boolean {
  const { finalDepth } = network
  return found.confirmations >= finalDepth && found.block.number + BigInt(finalDepth) <= head + 1n
}

/** Deposits that were seen in a mempool only may be replaced or dropped there: on a new head each is looked up. */
export async function recheckWaiting(services: Services, chain: ChainAdapter, fenced: Fenced): Promise<void> {
  const waiting = await findWaiting(services.database, chain.network.name, BATCH)
  await eachApart(services, waiting, async (deposit) => {
    const found = await chain.inspect(deposit.tx_hash, watchlistOf(services, chain))
    // Gone is not for ever: if it lands after all, it is seen again.
    if (found.state === 'unknown' || found.state === 'failed')
      return fenced((queries) => forgetDeposit(services, queries, chain, deposit))
    if (found.state !== 'included') return
    // In a block: the scan tells of it, with its block, but not where it brings us something else there, or nothing.
    const sighting = shownAt(deposit, found.sightings)
    if (!sighting || !isSameDeposit(sighting, deposit)) await displace(services, chain, fenced, deposit, sighting)
  })
}

/**
 * Which node answers is not ours to say: one that lagged may have made a deposit vanish that stands where it stood. The
 * scan does not come by there again, so it is looked up for as long as a reorg might reach.
 */
export async function recheckGone(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  head: bigint,
): Promise<void> {
  const { name: network, finalDepth } = chain.network
  for (const txHash of await findGone(services.database, network, head - LOOKED_UP_FOR * BigInt(finalDepth), BATCH)) {
    await isolateErrors(services, { what: 'gone deposit', id: `${network} ${txHash}` }, async () => {
      const found = await chain.inspect(txHash, watchlistOf(services, chain))
      if (found.state !== 'included') return
      await fenced((queries) => matchLookedUp(services, queries, chain, found.sightings))
    })
  }
}

/**
 * What a look at one transaction has shown, as far as it is not told of a block that was replaced. Where a deposit that counts
 * is shown otherwise, it and those above it are looked up again.
 */
export async function matchLookedUp(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sightings: readonly Sighting[],
): Promise<void> {
  const network = chain.network.name
  const hashes = [...new Set(sightings.map(({ txHash }) => txHash))]
  const shaken = hashes.length === 0 ? [] : await shakenAmong(queries, network, hashes)
  const isOld = ({ txHash, index, block }: Sighting) =>
    shaken.some(
      (known) =>
        known.tx_hash === txHash && known.index === index && block && known.replaced_blocks.includes(block.hash),
    )
  const standing = sightings.filter((sighting) => !isOld(sighting))
  const doubted = await matchSightings(services, queries, chain, standing)
  if (doubted !== null) await doubtFrom(queries, network, doubted)
}
