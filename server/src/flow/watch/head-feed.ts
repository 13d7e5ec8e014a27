/**
 * New heads as a network's nodes tell of them: each ends the pause between two turns of its watcher, and while every head is
 * told of nobody has to ask. A word may be lost and a wire be cut without one: a head that nobody told of brings the asking
 * back, until one is told of again.
 */
import type { ChainAdapter } from '@causeway/core'
import { sleep } from '../lib/sleep.ts'

/** How long to poll for an announced head that the polled node does not have yet. */
const LATE_MS = 3_000

/** Hints end at most one pause per interval. */
const HINT_INTERVAL_MS = 1_000

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
  let hintedAt = Number.NEGATIVE_INFINITY
  const onHead = () => {
    isTrusted = true
    toldAt = now()
    wake.abort()
  }
  const onHint = () => {
    // A third party can cause hints. One poll a moment later finds everything that they were about.
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
      // One that was told of meanwhile may be a newer one.
      else if (toldAt <= beganAt) toldAt = null
    },
    areQuiet: () => isTrusted && (toldAt === null || now() - toldAt > LATE_MS),
    stop,
  }
}
