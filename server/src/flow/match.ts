/**
 * From what the chain shows to whose it is. A sighting is stored once, whoever saw it first (block scan, speed-up, a
 * second worker, a rescan), and given to the swap that it names; what names none is kept as unmatched and never paid.
 */
import { type ChainAdapter, confirmationsFor, type Sighting, tokenKey, toUsd, type Watchlist } from '@causeway/core'
import type { Services } from '../services.ts'
import { ownedAddresses } from '../store/addresses.ts'
import type { Queries } from '../store/database.ts'
import { assignDeposit, recordSighting, setUnmatchedState } from '../store/deposits.ts'
import { findByDepositAddress, findByReference, lockSwapRows, toDeposit } from '../store/swaps.ts'
import { applyWithin } from './advance.ts'

/** The addresses of ours on a network: the treasury, and every deposit address ever given out. */
export function watchlistOf(services: Services, chain: ChainAdapter, queries: Queries = services.database): Watchlist {
  return {
    async owned(addresses) {
      const found = await ownedAddresses(queries, chain.network.name, addresses)
      return new Set(addresses.includes(chain.treasury) ? [...found, chain.treasury] : found)
    },
  }
}

/** Stores sightings and tells their swaps, in the caller's transaction. */
export async function matchSightings(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sightings: readonly Sighting[],
): Promise<void> {
  const senders = sightings.flatMap(({ from }) => (from ? [from] : []))
  const ours = await watchlistOf(services, chain, queries).owned(senders)
  for (const sighting of sightings) {
    // Our own sweeps and change are no deposits.
    if (sighting.from !== null && ours.has(sighting.from)) continue
    if (sighting.amount.units > 0n) await matchOne(services, queries, chain, sighting)
  }
}

async function matchOne(services: Services, queries: Queries, chain: ChainAdapter, sighting: Sighting): Promise<void> {
  const network = chain.network.name
  const { deposit, isNew } = await recordSighting(
    queries,
    network,
    sighting,
    wanted(services, chain, sighting),
    services.now(),
  )
  if (!isNew && deposit.state !== 'gone') return
  const swapId = deposit.swap_id ?? (await findSwap(queries, chain, sighting))
  if (isNew) services.metrics.deposits.inc({ network, outcome: swapId ? 'matched' : 'unmatched' })
  if (!swapId) {
    if (deposit.state === 'gone') await setUnmatchedState(queries, deposit.id, 'seen', 'gone')
    services.log.warn({ network, txHash: sighting.txHash, depositId: deposit.id }, 'deposit matches no swap')
    return
  }
  await lockSwapRows(queries, [swapId])
  if (!deposit.swap_id) await assignDeposit(queries, deposit.id, swapId)
  await applyWithin(services, queries, swapId, {
    type: 'deposit_seen',
    deposit: { ...toDeposit(deposit), state: 'seen' },
  })
  services.log.info({ network, swapId, txHash: sighting.txHash, units: `${sighting.amount.units}` }, 'deposit seen')
}

async function findSwap(queries: Queries, chain: ChainAdapter, sighting: Sighting): Promise<string | null> {
  const place = { network: chain.network.name, token: tokenKey(sighting.amount.token), receiver: sighting.to }
  if (sighting.to !== chain.treasury) return findByDepositAddress(queries, { ...place, units: sighting.amount.units })
  return sighting.reference === null ? null : findByReference(queries, { ...place, sequence: sighting.reference })
}

/** A token without a price is worth anything: it waits for the last tier. */
function wanted(services: Services, chain: ChainAdapter, { amount }: Sighting): number {
  const price = services.market.price(amount.token)
  const usd = price === null ? Number.POSITIVE_INFINITY : Number(toUsd(amount.units, amount.token, price, 'up')) / 1e18
  return confirmationsFor(chain.network, usd)
}
