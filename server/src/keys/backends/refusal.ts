/**
 * The signer's policy refuses the order. Nothing was signed. The payout is held until the policy or its hourly limit
 * allows it.
 */
import { RetryLater } from '@causeway/core'

export class SignerRefusal extends RetryLater {
  override name = 'SignerRefusal'
  readonly code = 'SIGNER_REFUSED'
  constructor(reason: string) {
    super(`the signer refuses: ${reason}`)
  }
}

/** The signer process is down, too slow, or sends an unexpected answer. `code` helps to explain a failed start. */
export class SignerUnavailable extends RetryLater {
  override name = 'SignerUnavailable'
  readonly code = 'SIGNER_UNAVAILABLE'
}
