/** The errors that faults bring about and that the server must live with. Any other is a problem of the run. */
import { ApiError, PayoutImpossible, RetryLater } from '@causeway/core'
import { ConnectionLost } from '../world/connection.ts'

/** The process is gone: whatever it was doing ends here. */
export class Killed extends Error {
  override name = 'Killed'
}

export function isExpected(error: unknown): boolean {
  const kinds = [ApiError, RetryLater, PayoutImpossible, ConnectionLost, Killed]
  return kinds.some((kind) => error instanceof kind)
}
