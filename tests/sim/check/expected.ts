/** Errors that injected faults cause and that the server must tolerate. Any other error is a problem of the run. */

import { ApiError, PayoutImpossible, RetryLater } from '@causeway/core'
import { PayoutOnHold } from '../../../server/src/flow/lib/payout-on-hold.ts'
import { ConnectionLost } from '../world/connection.ts'

/** The simulated process has crashed: its work ends here. */
export class Killed extends Error {
  override name = 'Killed'
}

export function isExpected(error: unknown): boolean {
  const kinds = [ApiError, RetryLater, PayoutImpossible, ConnectionLost, Killed]
  // A step that finds a rolled-back database stops signing. A stop without a cause leaves swaps unpaid, which is a problem.
  const isStop = error instanceof PayoutOnHold && error.hold.code === 'signing_stopped'
  return isStop || kinds.some((kind) => error instanceof kind)
}
