/** The signer's policy says no. Nothing was signed; the payout is held until the policy, or the hour, allows it. */
import { RetryLater } from '@causeway/core'

/** What a signer says of a slot in which it has signed something else. */
const BOUND = 'was signed for another order'

export class SignerRefusal extends RetryLater {
  override name = 'SignerRefusal'
  constructor(reason: string) {
    super(`the signer refuses: ${reason}`)
  }
}

/** An answer of the signer was lost, and the slot given to another payout since: it signs nothing there but a cancellation. */
export class SlotAlreadySigned extends SignerRefusal {
  override name = 'SlotAlreadySigned'
}

export function slotAlreadySignedText(slot: readonly string[]): string {
  return `the slot ${slot.join(' ')} ${BOUND}`
}

export function refusalOf(reason: string): SignerRefusal {
  return reason.endsWith(BOUND) ? new SlotAlreadySigned(reason) : new SignerRefusal(reason)
}
