/** Faults of a provider, independent of the protocol: lagging backends, lost answers, refused sends. */

/** The lag of each backend; requests go to them in turn. */
const BACKEND_LAGS_MS = [0, 1_500, 0, 4_000, 0]
/** One in this many sent transactions gets no answer. */
export const UNANSWERED_EVERY = 5
/** One in this many first sends is refused; every other one of these is accepted anyway. */
export const REFUSED_EVERY = 7

export interface Counts {
  unanswered: number
  refused: number
  /** Requests that a lagging backend answered. */
  stale: number
}

export interface Moods {
  counts: Counts
  /** The lag of the backend that gets the next request. */
  nextLagMs(): number
  /** Null if the answer never comes. `refuse` returns the refusal of this number, or throws it. */
  send<T>(bytes: string, take: () => Promise<T>, refuse: (number: number) => T): Promise<{ answer: T } | null>
}

/** Evenly spread instead of random, so that every run meets the same faults. */
export function createMoods(): Moods {
  const counts = { unanswered: 0, refused: 0, stale: 0 }
  const sent = new Set<string>()
  let [requests, sends, firsts] = [0, 0, 0]
  return {
    counts,
    nextLagMs: () => BACKEND_LAGS_MS[requests++ % BACKEND_LAGS_MS.length] ?? 0,
    async send(bytes, take, refuse) {
      const isFirst = !sent.has(bytes)
      sent.add(bytes)
      if (isFirst && firsts++ % REFUSED_EVERY === 1) {
        const number = counts.refused++
        if (number % 2 === 1) await take()
        return { answer: refuse(Math.floor(number / 2)) }
      }
      const answer = await take()
      return sends++ % UNANSWERED_EVERY === 0 ? null : { answer }
    },
  }
}
