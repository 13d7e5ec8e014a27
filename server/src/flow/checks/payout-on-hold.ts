/** It must not be paid now, for a reason that a retry does not change. What may lift it: `holdClass` of the hold. */
import { describeHold, type PayoutHold } from '@causeway/core'

export class PayoutOnHold extends Error {
  override name = 'PayoutOnHold'
  readonly hold: PayoutHold
  constructor(hold: PayoutHold) {
    super(describeHold(hold))
    this.hold = hold
  }
}
