/** Loads what a page shows, and retries while the service is down, so that the user need not reload the page. */
import { NoAnswerError, RequestError } from '@causeway/sdk/light'

/** Retry interval: short for a waiting user, long for a service that is down. */
const AGAIN_MS = 5_000

export interface Reading<Found> {
  onFound: (found: Found) => void
  onProblem: (error: unknown) => void
}

/**
 * Retries until it succeeds. Returns a function that stops it; after that no callback runs, not even for a request in
 * flight.
 */
export function keepTrying<Found>(
  read: () => Promise<Found>,
  { onFound, onProblem }: Reading<Found>,
  againMs = AGAIN_MS,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  const attempt = async () => {
    try {
      const found = await read()
      if (!isStopped) onFound(found)
    } catch (error) {
      if (isStopped) return
      onProblem(error)
      if (isPassing(error)) timer = setTimeout(() => void attempt(), Math.max(againMs, askedToWaitMs(error)))
    }
  }
  void attempt()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

function askedToWaitMs(error: unknown): number {
  return error instanceof RequestError ? (error.retryAfterMs ?? 0) : 0
}

/** A retry may succeed, unless the request itself was rejected. */
function isPassing(error: unknown): boolean {
  if (error instanceof RequestError) return error.status === 429 || error.status >= 500
  return error instanceof NoAnswerError
}

/** Like `keepTrying`, and reads again at an interval while the page is visible. */
export function keepReading<Found>(read: () => Promise<Found>, reading: Reading<Found>, everyMs: number): () => void {
  let stop = keepTrying(read, reading, everyMs)
  const timer = setInterval(() => {
    if (document.visibilityState !== 'visible') return
    stop()
    stop = keepTrying(read, reading, everyMs)
  }, everyMs)
  return () => {
    clearInterval(timer)
    stop()
  }
}
