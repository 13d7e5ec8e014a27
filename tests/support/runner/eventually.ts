/** Waits, with a bound, for something that a chain or a worker will do soon. */

const EVERY_MS = 50
/** Real local chains answer within a few seconds; two busy cores may take longer. */
const TIMEOUT_MS = 30_000

/** The first result that is neither null, undefined nor false. A thrown error means "not yet". */
export async function eventually<T>(
  ask: () => Promise<T | null | undefined | false>,
  what = 'the expected',
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  let last: unknown
  do {
    try {
      const answer = await ask()
      if (answer !== null && answer !== undefined && answer !== false) return answer
      last = undefined
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  } while (performance.now() < deadline)
  throw new Error(`${what} did not happen within ${timeoutMs} ms`, { cause: last })
}
