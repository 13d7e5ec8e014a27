/** Turns an error into a sentence that says what to do. */
import { NoAnswerError, RequestError } from '@causeway/sdk/light'
import { shell } from '../text/texts.ts'

export interface Problem {
  text: string
  /** The correlation id, to give to the operator. */
  number: string | null
}

/** The message for an error. `asked`: an action that the user takes `once` is not retried automatically. */
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
