/**
 * The eyes of the service: one loop a network, run by whoever holds the network's lease. Each round reads new blocks,
 * stores what came to us together with the cursor, and on a new head confirms deposits and payouts.
 */
import { randomUUID } from 'node:crypto'
import { type ChainAdapter, RetryLater, type Scan } from '@causeway/core'
import type { Services } from '../services.ts'
import { clearRecheck, readPosition, savePosition } from '../store/cursors.ts'
import { finalise } from '../store/deposits.ts'
import { dropLease, holdsLease, takeLease } from '../store/leases.ts'
import { confirmDeposits, type Fenced, recheckDeposits, recheckGone, recheckWaiting } from './confirm.ts'
import { landPayouts } from './land.ts'
import { matchSightings, watchlistOf } from './match.ts'
import { pause } from './pause.ts'

/** A watcher that dies is replaced after this long; one that lives renews well before. */
const LEASE_MS = 6_000
const RENEW_MS = 2_000
/** While a node is down, rounds come this often; the first failure is tried again at once. */
const FAILED_ROUND_MS = 1_000
/** Payouts are looked at this often even where no block comes: that is how a stuck one is noticed. */
const IDLE_LAND_MS = 2_000

export async function watchNetwork(services: Services, chain: ChainAdapter, signal: AbortSignal): Promise<void> {
  const watcher = createWatcher(services, chain)
  while (!signal.aborted) {
    const waitMs = await watcher.turn()
    if (waitMs > 0) await pause(waitMs, signal)
  }
  await watcher.leave()
}

/** One network's watcher. `turn` does what is due and tells after how long the next one is, zero where more waits already. */
export interface Watcher {
  turn(): Promise<number>
  leave(): Promise<void>
}

export function createWatcher(services: Services, chain: ChainAdapter): Watcher {
  const { database, log, metrics } = services
  const network = chain.network.name
  const now = () => services.now().getTime()
  const lease = { name: `watch:${network}`, holder: randomUUID(), fence: null as bigint | null, renewedAt: 0 }
  const state: WatchState = { head: '', landedAt: 0 }
  return {
    async turn() {
      try {
        if (now() - lease.renewedAt > RENEW_MS) {
          const fence = await takeLease(database, lease.name, lease.holder, LEASE_MS)
          if (fence !== lease.fence) log.info({ network, held: fence !== null }, 'watch lease changed')
          lease.fence = fence
          lease.renewedAt = now()
        }
        if (lease.fence === null) {
          lease.renewedAt = 0
          return RENEW_MS
        }
        const isBehind = await round(services, chain, { ...lease, fence: lease.fence }, state)
        return isBehind ? 0 : chain.network.pollMs
      } catch (error) {
        metrics.nodeErrors.inc({ network })
        const level = error instanceof RetryLater ? 'warn' : 'error'
        log[level]({ network, err: error }, 'a round of the watcher failed')
        return FAILED_ROUND_MS
      }
    },
    leave: () => dropLease(database, lease.name, lease.holder).catch(() => undefined),
  }
}

interface WatchState {
  /** The head that was last worked on. */
  head: string
  landedAt: number
}

/** One round. True where more blocks wait already. */
async function round(
  services: Services,
  chain: ChainAdapter,
  lease: { name: string; holder: string; fence: bigint },
  state: WatchState,
): Promise<boolean> {
  const { database, metrics } = services
  const { name: network, finalDepth } = chain.network
  const position = await readPosition(database, network)
  const scan = await chain.scan(position?.cursor ?? null, watchlistOf(services, chain))
  metrics.head.set({ network }, Number(scan.head.number))
  metrics.scanned.set({ network }, Number(scan.scannedTo))
  const hasMoved = scan.next !== position?.cursor
  const recheckFrom = lowest(scan.reorgFrom, position?.recheckFrom ?? null)
  const fenced: Fenced = (work) =>
    database.transaction().execute(async (queries) => {
      if (!(await holdsLease(queries, lease.name, lease.holder, lease.fence)))
        throw new RetryLater('the lease has moved on')
      await work(queries)
    })
  if (hasMoved || scan.sightings.length > 0) {
    await fenced(async (queries) => {
      await matchSightings(services, queries, chain, scan.sightings)
      await savePosition(queries, network, { cursor: scan.next, recheckFrom }, scan.head, services.now())
    })
  }
  // After the commit, so that what has landed again is known already; remembered, so that a crash does not skip it. A node
  // that lags behind the scan cannot tell what is gone.
  if (recheckFrom !== null && scan.head.number >= scan.scannedTo) {
    await recheckDeposits(services, chain, fenced, recheckFrom, new Set(scan.sightings.map(({ txHash }) => txHash)))
    await clearRecheck(database, network, recheckFrom)
  }
  await workOnHead(services, chain, fenced, scan, state, recheckFrom)
  if (hasMoved && scan.head.number > BigInt(finalDepth)) {
    await finalise(database, network, scan.head.number - BigInt(finalDepth))
  }
  return scan.scannedTo < scan.head.number
}

async function workOnHead(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  scan: Scan,
  state: WatchState,
  shakenFrom: bigint | null,
): Promise<void> {
  const now = services.now().getTime()
  const isNew = scan.head.hash !== state.head
  if (isNew) {
    await confirmDeposits(services, chain, fenced, scan.scannedTo)
    await recheckWaiting(services, chain, fenced)
    await recheckGone(services, chain, fenced, scan.scannedTo)
  }
  if (isNew || now - state.landedAt > IDLE_LAND_MS) {
    await landPayouts(services, chain, scan.scannedTo, shakenFrom)
    state.landedAt = now
  }
  state.head = scan.head.hash
}

function lowest(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}
