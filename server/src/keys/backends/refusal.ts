/** The signer's policy says no. Nothing was signed; the payout is held until the policy, or the hour, allows it. */
import { RetryLater } from '@causeway/core'

/** The codes of a refusal in the signer's answers. */
export const REFUSED = 'refused'
export const SLOT_ALREADY_SIGNED = 'slot_already_signed'

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

export function refusalOf(code: string, reason: string): SignerRefusal {
  return code === SLOT_ALREADY_SIGNED ? new SlotAlreadySigned(reason) : new SignerRefusal(reason)
}
