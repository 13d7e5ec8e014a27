/**
 * Thrown if a payout must not be paid now, for a reason that a retry does not change. `holdClass` says what can lift
 * the hold.
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
