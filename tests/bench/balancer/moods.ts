/** What happens behind a provider's address, whatever is spoken there. */

/** How far each backend is behind; every request goes to the next of them. */
export const BACKEND_LAGS_MS = [0, 1_500, 0, 4_000, 0]
/** Of the transactions that the node is sent, one in so many gets no answer. */
export const UNANSWERED_EVERY = 5
/** Of those sent for the first time, one in so many is refused; every other one of these is taken all the same. */
export const REFUSED_EVERY = 7

export interface Counts {
  unanswered: number
  refused: number
  /** Requests that a backend answered which is behind. */
  stale: number
}

export interface Balancer {
  url: string
  /** How many since this was asked last. */
  counts(): Counts
  /** From now on nobody answers: first connections break, then a proxy says that it found nobody. */
  goDown(ms: number): void
  stop(): Promise<void>
}
