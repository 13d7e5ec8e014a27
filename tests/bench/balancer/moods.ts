/** What happens behind a provider's address, whatever is spoken there. */

/** How far each backend is behind; every request goes to the next of them. */
const BACKEND_LAGS_MS = [0, 1_500, 0, 4_000, 0]
/** One in this many sent transactions gets no answer. */
export const UNANSWERED_EVERY = 5
/** One in this many first sends is refused; every other one of these is accepted anyway. */
export const REFUSED_EVERY = 7

export interface Counts {
  unanswered: number
  refused: number
  /** Requests that a backend answered which is behind. */
  stale: number
}

export interface Moods {
  counts: Counts
  /** How far the backend is behind that gets this request. */
  nextLagMs(): number
  /** Null if the answer never comes. `refuse` returns the refusal of this number, or throws it. */
  send<T>(bytes: string, take: () => Promise<T>, refuse: (number: number) => T): Promise<{ answer: T } | null>
}

/** Evenly spread instead of drawn, so that every run meets the same. */
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
