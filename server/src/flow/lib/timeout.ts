/** An answer that somebody waits for, but not for ever. */
import { RetryLater } from '@causeway/core'

export class TimeoutError extends RetryLater {
  override name = 'TimeoutError'
}

/** The answer, unless it takes longer than that; whatever comes later is for nobody. */
export async function withTimeout<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`${what} took longer than ${ms} ms`)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
