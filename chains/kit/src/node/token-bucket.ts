/**
 * Rate limit of a network's nodes, in requests per minute. When they run short, the least urgent purposes are rejected
 * first; payouts and their status checks never are. The caller passes in the clock.
 */

/** Purposes of a request, most urgent first. */
export const PURPOSES = ['landing', 'paying', 'confirming', 'scanning', 'market', 'callers'] as const
export type Purpose = (typeof PURPOSES)[number]

export interface PriorityTokenBucket {
  /** Counts requests that were made. */
  spend(requests: number): void
  /** Whether a request for this purpose may be sent now. */
  admits(purpose: Purpose): boolean
}

/** The share of a minute's requests that is reserved for more urgent purposes. */
const KEPT: Record<Purpose, number> = {
  landing: Number.NEGATIVE_INFINITY,
  paying: Number.NEGATIVE_INFINITY,
  confirming: -0.2,
  scanning: 0,
  market: 0.2,
  callers: 0.4,
}
const MINUTE_MS = 60_000

export function createTokenBucket(perMinute: number | null, now: () => number): PriorityTokenBucket {
  if (perMinute === null) return { spend: () => undefined, admits: () => true }
  let left = perMinute
  let at = now()
  const fill = () => {
    const elapsedMs = Math.max(0, now() - at)
    at = now()
    left = Math.min(perMinute, left + (perMinute * elapsedMs) / MINUTE_MS)
  }
  return {
    spend(requests) {
      fill()
      // Urgent requests may overdraw the budget, but only by one minute's requests, so that the others do not wait for
      // minutes.
      left = Math.max(-perMinute, left - requests)
    },
    admits(purpose) {
      fill()
      return left > perMinute * KEPT[purpose]
    },
  }
}
