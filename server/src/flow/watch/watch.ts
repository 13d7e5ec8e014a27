/**
 * The eyes of the service: one loop a network, run by whoever holds the network's lease. Each round reads new blocks,
 * stores what came to us together with the cursor, and on a new head confirms deposits and payouts.
 */
import { randomUUID } from 'node:crypto'
import { type ChainAdapter, type Network, ORPHAN_LOOKUP_DEPTHS, RetryLater, type Scan } from '@causeway/core'
import type { Services } from '../../services.ts'
import { isPassing } from '../../store/db/database.ts'
import { dropLease, holdsLease, keepLease, takeLease } from '../../store/db/leases.ts'
import { changeBlocksFrom, finalise, lockSubjects, readClock } from '../../store/deposits/observations.ts'
import { clearRecheck, readPosition, savePosition } from '../../store/watch/cursors.ts'
import { hasPendingWork } from '../../store/watch/pending-work.ts'
import { saveUtxos } from '../../store/watch/utxos.ts'
import {
  creditDeposits,
  type Fenced,
  inspectUnlocatable,
  inspectWaiting,
  type Prefetched,
  prefetchInspections,
  reverifyDeposits,
} from '../deposits/inspect-deposits.ts'
import { watchlistOf } from '../deposits/receivers.ts'
import { recordSightings } from '../deposits/record-observations.ts'
import { landPayouts } from '../landing/land.ts'
import { type Isolation, inSavepoint, noSavepoint } from '../lib/error-boundary.ts'
import { TimeoutError, withTimeout } from '../lib/timeout.ts'
import { type HeadFeed, openHeadFeed } from './head-feed.ts'

/** A watcher that dies is replaced after this long; one that lives renews well before, also while a node keeps it waiting. */
const LEASE = { ttlMs: 6_000, renewMs: 2_000 }
/** It renews between two polls: another one comes in only where several have been missed, and does not read the same again. */
const MISSED_POLLS = 3
/** A scan that takes longer is given up, and the lease with it: another process may have a better node. */
const SCAN_MS = 60_000
/** While a node is down, rounds come this often; the first failure is tried again at once. */
const FAILED_ROUND_MS = 1_000
/** Payouts are looked at this often even where no block comes: that is how a stuck one is noticed. */
const IDLE_LAND_MS = 2_000
/** Where nodes tell of every head they are asked this often all the same. */
const TOLD_MS = 20_000

export async function watchNetwork(services: Services, chain: ChainAdapter, signal: AbortSignal): Promise<void> {
  const heads = openHeadFeed(chain, () => services.now().getTime())
  const watcher = createWatcher(services, chain, undefined, heads)
  while (!signal.aborted) {
    heads.begin()
    const waitMs = await watcher.turn()
    if (waitMs > 0) await heads.pause(waitMs, signal)
  }
  heads.stop()
  await watcher.leave()
}

/** One network's watcher. `turn` does what is due and tells after how long the next one is, zero where more waits already. */
export interface Watcher {
  turn(): Promise<number>
  leave(): Promise<void>
}

interface Pace {
  ttlMs: number
  renewMs: number
  /** How often the lease is renewed while a round lasts. */
  keepMs?: number
  scanMs?: number
}

export function createWatcher(
  services: Services,
  chain: ChainAdapter,
  { ttlMs, renewMs, keepMs = renewMs, scanMs = SCAN_MS }: Pace = leaseOf(chain.network),
  heads?: Pick<HeadFeed, 'found' | 'areQuiet'>,
): Watcher {
  const { database, log, metrics } = services
  const network = chain.network.name
  const now = () => services.now().getTime()
  const lease = { name: `watch:${network}`, holder: randomUUID(), fence: null as bigint | null, renewedAt: 0 }
  const never = Number.NEGATIVE_INFINITY
  const state: WatchState = {
    head: '',
    known: '',
    isShaken: false,
    landedAt: 0,
    roundAt: never,
    askedAt: never,
    scanMs,
  }
  const leave = () => dropLease(database, lease.name, lease.holder).catch(() => undefined)
  return {
    async turn() {
      try {
        // Without the lease a process with a right clock takes over.
        if (!services.clock.isTrusted()) return renewMs
        // Also where the clock was set back.
        if (Math.abs(now() - lease.renewedAt) > renewMs) {
          const fence = await takeLease(database, lease.name, lease.holder, ttlMs)
          if (fence !== lease.fence) log.info({ network, held: fence !== null }, 'watch lease changed')
          lease.fence = fence
          lease.renewedAt = now()
        }
        if (lease.fence === null) {
          lease.renewedAt = 0
          return renewMs
        }
        const { pollMs, idlePollMs = pollMs } = chain.network
        const sinceMs = now() - state.roundAt
        // Asked with every turn, so that a network is caught up with as soon as somebody waits for it.
        if (sinceMs < idlePollMs && sinceMs >= 0 && !(await hasPendingWork(database, network))) return pollMs
        const askedMs = now() - state.askedAt
        if (heads?.areQuiet() && state.head !== '' && askedMs < TOLD_MS && askedMs >= 0) return pollMs
        const before = state.known
        const renewal = keepLease(database, lease, { ttlMs, renewMs: keepMs })
        const isBehind = await round(services, chain, { ...lease, fence: lease.fence }, state).finally(renewal.stop)
        heads?.found(state.known !== before)
        state.askedAt = isBehind ? never : now()
        state.roundAt = isBehind || idlePollMs === pollMs ? never : now()
        return isBehind ? 0 : pollMs
      } catch (error) {
        metrics.nodeErrors.inc({ network })
        const level = error instanceof RetryLater ? 'warn' : 'error'
        log[level]({ network, err: error }, 'a round of the watcher failed')
        // It may have run out while this round lasted.
        lease.renewedAt = 0
        if (!(error instanceof TimeoutError)) return FAILED_ROUND_MS
        await leave()
        return renewMs
      }
    },
    leave,
  }
}

function leaseOf({ pollMs }: Network): Pace {
  return { ...LEASE, ttlMs: Math.max(LEASE.ttlMs, MISSED_POLLS * pollMs) }
}

interface WatchState {
  /** The head that was last worked on, and how far the scan had come by then. */
  head: string
  /** The newest head that a node has shown. */
  known: string
  /** Some deposit could not be looked up again on that head. */
  isShaken: boolean
  landedAt: number
  /** When the last round was over that left nothing to do; never where the network has one pace only. */
  roundAt: number
  /** The same, whatever its paces. */
  askedAt: number
  /** How long a scan may take. */
  scanMs: number
}

/** One round. True where more blocks wait already. What fails keeps nothing else from being done; it is thrown at the end. */
async function round(
  services: Services,
  chain: ChainAdapter,
  lease: { name: string; holder: string; fence: bigint },
  state: WatchState,
): Promise<boolean> {
  const { database, metrics } = services
  const { name: network, finalDepth } = chain.network
  const position = await readPosition(database, network)
  const scan = await withTimeout(
    state.scanMs,
    'a scan',
    chain.scan(position?.cursor ?? null, watchlistOf(services, chain)),
  )
  state.known = scan.head.hash
  metrics.head.set({ network }, Number(scan.head.number))
  metrics.scanned.set({ network }, Number(scan.scannedTo))
  const hasMoved = scan.next !== position?.cursor
  const fenced: Fenced = (work) =>
    database.transaction().execute(async (queries) => {
      if (!(await holdsLease(queries, lease.name, lease.holder, lease.fence)))
        throw new RetryLater('the lease has moved on')
      await work(queries)
    })
  const prefetched = prefetchInspections(services, chain, scan)
  const isReplaced = scan.reorgFrom !== null
  const isFurther = scan.scannedTo !== position?.scannedTo
  if (isReplaced || hasMoved || isFurther || scan.sightings.length > 0) await storeScan(services, chain, fenced, scan)
  if (isReplaced) metrics.reorgs.inc({ network })
  const failures: unknown[] = []
  const attempt = (work: () => Promise<unknown>) => work().catch((error) => failures.push(error))
  const shakenFrom = lowest(scan.reorgFrom, position?.recheckFrom ?? null)
  await workOnHead(services, chain, fenced, scan, state, shakenFrom, prefetched, attempt)
  if (hasMoved && scan.head.number > BigInt(finalDepth)) {
    const finalTo = scan.head.number - BigInt(finalDepth)
    const lookedUpTo = scan.scannedTo - ORPHAN_LOOKUP_DEPTHS * BigInt(finalDepth)
    await attempt(() => fenced((queries) => finalise(queries, network, { finalTo, lookedUpTo })))
  }
  if (failures.length > 0) throw failures[0]
  // A head is known whose block nobody has yet: that is no reason to ask without a pause.
  return hasMoved && scan.scannedTo < scan.head.number
}

/** What came and how far was read, in one commit. */
async function storeScan(services: Services, chain: ChainAdapter, fenced: Fenced, scan: Scan): Promise<void> {
  const network = chain.network.name
  const store = (apart: Isolation) =>
    fenced(async (queries) => {
      await lockSubjects(queries, network, null)
      const position = { cursor: scan.next, recheckFrom: scan.reorgFrom }
      await savePosition(queries, network, position, scan.head, services.now(), scan.scannedTo)
      const clock = await readClock(queries, network)
      const also =
        scan.reorgFrom === null ? [] : await changeBlocksFrom(queries, network, scan.reorgFrom, 'orphaned', clock)
      if (scan.reorgFrom !== null)
        services.log.warn({ network, from: `${scan.reorgFrom}`, deposits: also.length }, 'blocks were replaced')
      await recordSightings(services, queries, chain, scan.sightings, 'scan', { apart, also, clock })
      if (scan.coins) await saveUtxos(queries, network, scan.coins)
    })
  await store(noSavepoint).catch((error: unknown) => {
    if (error instanceof RetryLater || isPassing(error)) throw error
    return store(inSavepoint)
  })
}

async function workOnHead(
  services: Services,
  chain: ChainAdapter,
  fenced: Fenced,
  scan: Scan,
  state: WatchState,
  shakenFrom: bigint | null,
  prefetched: Prefetched,
  attempt: (work: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const now = services.now().getTime()
  // While catching up the head stays the same and the scan comes further: there may be more to count each time.
  const place = `${scan.head.hash} ${scan.scannedTo}`
  const isNew = place !== state.head
  let isDone = !isNew
  const clock = await readClock(services.database, chain.network.name)
  const round = { services, chain, fenced, clock }
  // First of all: what a sweep took is told by what came to its sources. What has landed again is known already; a node that
  // lags behind the scan cannot tell what is gone.
  if ((isNew || state.isShaken) && scan.head.number >= scan.scannedTo) {
    state.isShaken = true
    await attempt(async () => {
      state.isShaken = !(await reverifyDeposits(round))
    })
  }
  // Before deposits count: one that takes long to look up, or cannot be, keeps no payout from being judged.
  if (isNew || now - state.landedAt > IDLE_LAND_MS) {
    await attempt(async () => {
      await landPayouts(services, chain, scan.scannedTo, shakenFrom)
      if (shakenFrom !== null) await clearRecheck(services.database, chain.network.name, shakenFrom)
      state.landedAt = now
    })
  }
  if (isNew) {
    await attempt(async () => {
      isDone = await creditDeposits(round, prefetched)
    })
    await attempt(() => inspectWaiting(round))
    if (scan.head.number >= scan.scannedTo) await attempt(() => inspectUnlocatable(round))
  }
  // Where something has to be tried again, the head counts as new once more.
  state.head = isDone ? place : ''
}

function lowest(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}
