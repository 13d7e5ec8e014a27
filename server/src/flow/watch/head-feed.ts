/**
 * New-head notifications of a network's nodes. Each notification ends the watcher's pause, and while all heads are
 * announced no polling is needed. Notifications may be lost silently: a head that was not announced restarts polling
 * until the next announcement.
 */
import type { ChainAdapter } from '@causeway/core'
import { sleep } from '../lib/sleep.ts'

/** How long to poll for an announced head that the polled node does not have yet. */
const LATE_MS = 3_000

/** Hints end at most one pause per interval. */
const HINT_INTERVAL_MS = 1_000

export interface HeadFeed {
  /** From now on an announced head ends the next pause, or skips it. */
  begin(): void
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** Reports the end of a round, and whether it found a new head. */
  found(isNew: boolean): void
  /** Whether polling is unnecessary: heads are announced, and the last one was read. */
  areQuiet(): boolean
  stop(): void
}

export function openHeadFeed(chain: ChainAdapter, now: () => number): HeadFeed {
  let wake = new AbortController()
  let isTrusted = false
  /** When a head was announced that no round has found yet; null if there is none. */
  let toldAt: number | null = null
  let beganAt = now()
  let hintedAt = Number.NEGATIVE_INFINITY
  const onHead = () => {
    isTrusted = true
    toldAt = now()
    wake.abort()
  }
  const onHint = () => {
    // Third parties can trigger hints. One poll shortly after several hints finds all their transactions.
    if (Math.abs(now() - hintedAt) < HINT_INTERVAL_MS) return
    hintedAt = now()
    wake.abort()
  }
  const { headFeed } = chain
  const stop = headFeed?.subscribe(headFeed.announces === 'every-head' ? onHead : onHint) ?? (() => undefined)
  return {
    begin() {
      beganAt = now()
      if (wake.signal.aborted) wake = new AbortController()
    },
    pause: (ms, signal) => sleep(ms, headFeed ? AbortSignal.any([signal, wake.signal]) : signal),
    found(isNew) {
      if (!isNew) return
      if (toldAt === null) isTrusted = false
      // A head that was announced during the round may be newer than the one found.
      else if (toldAt <= beganAt) toldAt = null
    },
    areQuiet: () => isTrusted && (toldAt === null || now() - toldAt > LATE_MS),
    stop,
  }
}
