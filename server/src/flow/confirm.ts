/**
 * Confirmations of deposits. A deposit is read again from the chain at the depth that its value wants before it counts;
 * when a reorg replaces its block it is looked up anew. Runs on every new head, under the network's lease.
 */
import { type ChainAdapter, depositArrived, reversed, type Sighting } from '@causeway/core'
import type { Services } from '../services.ts'
import type { Queries } from '../store/database.ts'
import {
  findFrom,
  findGone,
  findRipe,
  findWaiting,
  setBlock,
  setMissing,
  setUnmatchedState,
} from '../store/deposits.ts'
import { insertPosting } from '../store/progress.ts'
import type { DepositRow } from '../store/swaps.ts'
import { applyWithin } from './advance.ts'
import { matchSightings, watchlistOf } from './match.ts'

/** More ripe deposits than this in one round wait for the next head. */
const BATCH = 200
/** A deposit that is gone is looked up for so many times the final depth. */
export const LOOKED_UP_FOR = 2n

/**
 * Work in a transaction, which fails where the lease has moved on: whoever was paused since it asked its node knows
 * nothing any more.
 */
export type Fenced = (work: (queries: Queries) => Promise<void>) => Promise<void>

/** Counts the deposits that are deep enough now. */
export async function confirmDeposits(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  head: bigint,
): Promise<void> {
  const ripe = await findRipe(services.database, chain.network.name, head, BATCH)
  await Promise.all(ripe.map((deposit) => confirmDeposit(services, chain, fenced, deposit, head)))
}

async function confirmDeposit(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  deposit: DepositRow,
  head: bigint,
): Promise<void> {
  const found = await chain.inspect(deposit.tx_hash, watchlistOf(services, chain))
  const network = chain.network.name
  const { log, metrics } = services
  if (found.state !== 'included') {
    log.warn({ network, txHash: deposit.tx_hash, state: found.state }, 'deposit not found where it was seen')
    if (found.state !== 'pending' && deposit.state === 'seen') await miss(services, chain, fenced, deposit, head)
    return
  }
  if (found.block.hash !== deposit.block_hash || deposit.missing_from !== null) {
    await setBlock(services.database, deposit.id, found.block)
  }
  if (found.confirmations < deposit.confirmations_wanted) return
  const sighting = found.sightings.find(({ index }) => index === deposit.index)
  if (!sighting || !isSame(sighting, deposit)) {
    log.error({ network, txHash: deposit.tx_hash, index: deposit.index }, 'deposit is not what it was when it was seen')
    await forget(services, chain, fenced, deposit)
    return
  }
  metrics.deposits.inc({ network, outcome: 'confirmed' })
  const { units } = sighting.amount
  const { id: depositId, swap_id: swapId } = deposit
  await fenced((queries) =>
    swapId
      ? applyWithin(services, queries, swapId, { type: 'deposit_confirmed', depositId, units })
      : settleUnmatched(services, queries, chain, deposit, 'confirmed'),
  )
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
    await forget(services, chain, fenced, deposit)
}

/** A token may have moved less than its event said: what arrived counts. Receiver and sender must be the same. */
function isSame(sighting: Sighting, deposit: DepositRow): boolean {
  return sighting.to === deposit.to_address && sighting.amount.units > 0n && sighting.amount.units <= deposit.units
}

/**
 * Blocks from `from` on were replaced: every deposit that stood there is looked up again, but for those that the scan has
 * just seen in their new place, where a node that lags must not make them vanish.
 */
export async function recheckDeposits(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  from: bigint,
  seenAgain: ReadonlySet<string>,
): Promise<void> {
  const network = chain.network.name
  services.metrics.reorgs.inc({ network })
  const shaken = await findFrom(services.database, network, from)
  services.log.warn({ network, from: `${from}`, deposits: shaken.length }, 'blocks were replaced')
  for (const deposit of shaken) {
    if (seenAgain.has(deposit.tx_hash)) continue
    const found = await chain.inspect(deposit.tx_hash, watchlistOf(services, chain))
    if (found.state === 'included') await setBlock(services.database, deposit.id, found.block)
    else await forget(services, chain, fenced, deposit)
  }
}

/** Deposits that were seen in a mempool only may be replaced or dropped there: on a new head each is looked up. */
export async function recheckWaiting(services: Services, chain: ChainAdapter, fenced: Fenced): Promise<void> {
  for (const deposit of await findWaiting(services.database, chain.network.name, BATCH)) {
    const found = await chain.inspect(deposit.tx_hash, watchlistOf(services, chain))
    // In a block: the scan tells of it, with its block. Gone is not for ever: if it lands after all, it is seen again.
    if (found.state === 'unknown' || found.state === 'failed') await forget(services, chain, fenced, deposit)
  }
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
    const found = await chain.inspect(txHash, watchlistOf(services, chain))
    if (found.state === 'included') await fenced((queries) => matchSightings(services, queries, chain, found.sightings))
  }
}

async function forget(services: Services, chain: ChainAdapter, fenced: Fenced, deposit: DepositRow): Promise<void> {
  services.metrics.deposits.inc({ network: chain.network.name, outcome: 'gone' })
  services.log.warn(
    { network: chain.network.name, txHash: deposit.tx_hash, swapId: deposit.swap_id },
    'deposit is gone',
  )
  const { id: depositId, swap_id: swapId } = deposit
  await fenced((queries) =>
    swapId
      ? applyWithin(services, queries, swapId, { type: 'deposit_gone', depositId })
      : settleUnmatched(services, queries, chain, deposit, 'gone'),
  )
}

/** Deposits of nobody are in the books too. */
async function settleUnmatched(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
  state: 'confirmed' | 'gone',
): Promise<void> {
  const token = services.catalogue.token(chain.network.name, deposit.token)
  const arrival = depositArrived(null, deposit.to_address, token, deposit.units)
  if (!(await setUnmatchedState(queries, deposit.id, state, deposit.state))) return
  if (state === 'confirmed') await insertPosting(queries, arrival, null)
  else if (deposit.state === 'confirmed') await insertPosting(queries, reversed(arrival, 'deposit gone'), null)
}
