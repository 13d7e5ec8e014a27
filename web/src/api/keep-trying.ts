/** Reads what a page shows, and again by itself while the service is silent or at fault: nobody has to load the page anew. */
import { NoAnswerError, RequestError } from '@causeway/sdk/light'

/** Soon enough for somebody who looks, seldom enough for a service that is down. */
const AGAIN_MS = 5_000

export interface Reading<Found> {
  onFound: (found: Found) => void
  onProblem: (error: unknown) => void
}

/** Answers how to stop. After that nothing is told any more, not even of what was asked before. */
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

/** Another try may find it mended: not so where the question itself was refused. */
function isPassing(error: unknown): boolean {
  if (error instanceof RequestError) return error.status === 429 || error.status >= 500
  return error instanceof NoAnswerError
}
