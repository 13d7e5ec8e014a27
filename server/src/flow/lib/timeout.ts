/** Waits for a promise with a timeout. */
import { RetryLater } from '@causeway/core'

export class TimeoutError extends RetryLater {
  override name = 'TimeoutError'
}

/** Returns the result, or throws if it takes longer; a late result is dropped. */
export async function withTimeout<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`${what} took longer than ${ms} ms`)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
