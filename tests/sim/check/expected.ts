/** Errors that injected faults cause and that the server must tolerate. Any other error is a problem of the run. */
import { ApiError, PayoutImpossible, RetryLater } from '@causeway/core'
import { ConnectionLost } from '../world/connection.ts'

/** The simulated process has crashed: its work ends here. */
export class Killed extends Error {
  override name = 'Killed'
}

export function isExpected(error: unknown): boolean {
  const kinds = [ApiError, RetryLater, PayoutImpossible, ConnectionLost, Killed]
  return kinds.some((kind) => error instanceof kind)
}
