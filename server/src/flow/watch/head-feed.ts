/**
 * New heads as a network's nodes tell of them: each ends the pause between two turns of its watcher, and while every head is
 * told of nobody has to ask. A word may be lost and a wire be cut without one: a head that nobody told of brings the asking
 * back, until one is told of again.
 */
import type { ChainAdapter } from '@causeway/core'
import { sleep } from '../lib/sleep.ts'

/** What was told of is asked for so long where the node that is asked does not have it yet. */
const LATE_MS = 3_000

/** News end no more than one pause in so long. */
const NEWS_MS = 1_000

export interface HeadFeed {
  /** A head that is told of from here on ends the next pause, or lets it not begin. */
  begin(): void
  pause(ms: number, signal: AbortSignal): Promise<void>
  /** A round is over, which has found a new head or none. */
  found(isNew: boolean): void
  /** Whether asking would bring nothing: heads are told of, and the last one has been read. */
  areQuiet(): boolean
  stop(): void
}

export function openHeadFeed(chain: ChainAdapter, now: () => number): HeadFeed {
  let wake = new AbortController()
  let isTrusted = false
  /** When a head was told of that no round has found yet. */
  let toldAt: number | null = null
  let beganAt = now()
  const stop =
    chain.onHead?.(() => {
      isTrusted = true
      toldAt = now()
      wake.abort()
    }) ?? (() => undefined)
  let newsAt = Number.NEGATIVE_INFINITY
  const stopNews =
    chain.onNews?.(() => {
      // Anybody may make news of us: a look a moment later shows all of it.
      if (Math.abs(now() - newsAt) < NEWS_MS) return
      newsAt = now()
      wake.abort()
    }) ?? (() => undefined)
  return {
    begin() {
      beganAt = now()
      if (wake.signal.aborted) wake = new AbortController()
    },
    pause: (ms, signal) => sleep(ms, chain.onHead || chain.onNews ? AbortSignal.any([signal, wake.signal]) : signal),
    found(isNew) {
      if (!isNew) return
      if (toldAt === null) isTrusted = false
      // One that was told of meanwhile may be a newer one.
      else if (toldAt <= beganAt) toldAt = null
    },
    areQuiet: () => isTrusted && (toldAt === null || now() - toldAt > LATE_MS),
    stop() {
      stop()
      stopNews()
    },
  }
}
