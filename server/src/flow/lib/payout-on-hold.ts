/**
 * Thrown if a payout must not be paid now, for a reason that a retry does not change. The hold's class says what can
 * lift it.
 */
import { describeHold, type PayoutHold } from '@causeway/core'

export class PayoutOnHold extends Error {
  override name = 'PayoutOnHold'
  readonly hold: PayoutHold
  constructor(hold: PayoutHold) {
    super(describeHold(hold))
    this.hold = hold
  }
}
