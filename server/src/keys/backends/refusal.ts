/** The signer's policy says no. Nothing was signed; the payout is held until the policy, or the hour, allows it. */
import { RetryLater } from '@causeway/core'

export class SignerRefusal extends RetryLater {
  override name = 'SignerRefusal'
  readonly code = 'SIGNER_REFUSED'
  constructor(reason: string) {
    super(`the signer refuses: ${reason}`)
  }
}

/** An answer of the signer was lost, and the slot given to another payout since: it signs nothing there but a cancellation. */
export class SlotAlreadySigned extends SignerRefusal {
  override name = 'SlotAlreadySigned'
}

/** The signer process is down, too slow, or does not understand us. `code` is for the explanation of a failed start. */
export class SignerUnavailable extends RetryLater {
  override name = 'SignerUnavailable'
  readonly code = 'SIGNER_UNAVAILABLE'
}
