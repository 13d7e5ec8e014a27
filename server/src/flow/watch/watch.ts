/**
 * The watcher: one loop per network, run by the process that holds the network's lease. Each round reads new blocks,
 * stores deposits together with the cursor, and on a new head confirms deposits and payouts.
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

/** A crashed watcher is replaced after `ttlMs`. A live one renews well before that, also while a node is slow. */
const LEASE = { ttlMs: 6_000, renewMs: 2_000 }
/**
 * How many polls a watcher may miss before another process takes its lease. The watcher renews the lease between two
 * polls.
 */
const MISSED_POLLS = 3
/** A scan that takes longer is given up together with the lease: another process may have a better node. */
const SCAN_MS = 60_000
/** The pause after a failed round; the first failure is retried at once. */
const FAILED_ROUND_MS = 1_000
/** Payouts are checked this often even without a new block, so that stuck ones are noticed. */
const IDLE_LAND_MS = 2_000
/** The poll interval while nodes announce every head by notification. */
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

/**
 * One network's watcher. `turn` does what is due and returns the pause until the next turn, zero if more is waiting.
 */
export interface Watcher {
  turn(): Promise<number>
  leave(): Promise<void>
}

interface Pace {
  ttlMs: number
  renewMs: number
  /** How often the lease is renewed during a round. */
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
        // Without a trusted clock the lease is not renewed: a process with a correct clock takes over.
        if (!services.clock.isTrusted()) return renewMs
        // Also renews if the clock was set back.
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
        // Checked at every turn, so that the network is polled at full rate as soon as work is pending.
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
        // The lease may have expired during this round.
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
  /** The head of the last completed round, with the scan's position. */
  head: string
  /** The newest head that a node reported. */
  known: string
  /** Whether a deposit could not be reverified on that head and must be retried. */
  isShaken: boolean
  landedAt: number
  /** The end of the last round that left nothing to do. Not set if the network has no idle interval. */
  roundAt: number
  /** The end of the last round that left nothing to do, whether or not the network has an idle interval. */
  askedAt: number
  /** How long a scan may take. */
  scanMs: number
}

/**
 * One round. True if more blocks are waiting. A failing part does not stop the others; its error is thrown at the end.
 */
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
  const replacedFrom = lowest(scan.reorgFrom, position?.recheckFrom ?? null)
  await workOnHead(services, chain, fenced, scan, state, replacedFrom, prefetched, attempt)
  // By the scan's position, not by the head: one node may invent a head, and a final deposit is never verified again.
  const reached = scan.scannedTo < scan.head.number ? scan.scannedTo : scan.head.number
  if (hasMoved && reached > BigInt(finalDepth)) {
    const finalTo = reached - BigInt(finalDepth)
    const lookedUpTo = scan.scannedTo - ORPHAN_LOOKUP_DEPTHS * BigInt(finalDepth)
    await attempt(() => fenced((queries) => finalise(queries, network, { finalTo, lookedUpTo })))
  }
  if (failures.length > 0) throw failures[0]
  // A node may announce a head whose block no node has yet: that is no reason to poll without a pause.
  return hasMoved && scan.scannedTo < scan.head.number
}

/** Stores deposits and the cursor in one commit. */
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
  replacedFrom: bigint | null,
  prefetched: Prefetched,
  attempt: (work: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const now = services.now().getTime()
  // During a backfill the head stays the same while the scan advances: each step may confirm more.
  const place = `${scan.head.hash} ${scan.scannedTo}`
  const isNew = place !== state.head
  let isDone = !isNew
  const clock = await readClock(services.database, chain.network.name)
  const round = { services, chain, fenced, clock }
  // Reverification comes first: what a reorg took is known before anything else is decided. Skipped if the node lags
  // behind the scan: it cannot tell whether a deposit is gone.
  if ((isNew || state.isShaken) && scan.head.number >= scan.scannedTo) {
    state.isShaken = true
    await attempt(async () => {
      state.isShaken = !(await reverifyDeposits(round))
    })
  }
  // Payouts come before deposits, so that a slow inspection of a deposit delays no payout.
  if (isNew || now - state.landedAt > IDLE_LAND_MS) {
    await attempt(async () => {
      await landPayouts(services, chain, scan.scannedTo, replacedFrom)
      if (replacedFrom !== null) await clearRecheck(services.database, chain.network.name, replacedFrom)
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
  // If something must be retried, the next round treats the head as new again.
  state.head = isDone ? place : ''
}

function lowest(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}
