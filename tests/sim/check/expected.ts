/** The errors that faults bring about and that the server must live with. Any other is a problem of the run. */
import { ApiError, PayoutImpossible, RetryLater } from '@causeway/core'
import { ConnectionLost } from '../world/connection.ts'

/** The process is gone: whatever it was doing ends here. */
export class Killed extends Error {
  override name = 'Killed'
}

export function isExpected(error: unknown): boolean {
  const kinds = [ApiError, RetryLater, PayoutImpossible, ConnectionLost, Killed]
  // Strangers write any number into a memo: that is told to a person, and goes no further.
  const isStrangers = error instanceof Error && error.message.startsWith('a deposit names a number that was not given')
  return isStrangers || kinds.some((kind) => error instanceof kind)
}
