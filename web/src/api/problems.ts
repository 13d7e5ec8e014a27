/** What went wrong with a call, as a sentence and what mends it. */
import { NoAnswerError, RequestError } from '@causeway/sdk/light'
import { shell } from '../text/en.ts'

export interface Problem {
  text: string
  /** To be named when the operator is asked. */
  number: string | null
}

/** `asked`: what the person did `once` is not tried again by itself. */
export function problemOf(error: unknown, asked: 'again' | 'once' = 'again'): Problem {
  if (error instanceof RequestError) {
    if (error.status === 429)
      return { text: shell.tooMany(Math.ceil((error.retryAfterMs ?? 8_000) / 1000)), number: null }
    if (error.status >= 500) {
      const number = error.correlationId
      return { text: number ? shell.failed(number) : shell.failedPlain, number }
    }
    return { text: error.message.replace(/^[A-Z_]+: /, ''), number: null }
  }
  if (error instanceof NoAnswerError) {
    const silence = asked === 'again' ? shell.noAnswer : shell.noAnswerOnce
    return { text: navigator.onLine ? silence : shell.offline, number: null }
  }
  return { text: error instanceof Error ? error.message : shell.failedPlain, number: null }
}
