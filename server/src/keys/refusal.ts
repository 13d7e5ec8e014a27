/** The signer's policy says no. Nothing was signed; the payout is held until the policy, or the hour, allows it. */
import { RetryLater } from '@causeway/core'

export class SignerRefusal extends RetryLater {
  override name = 'SignerRefusal'
  constructor(reason: string) {
    super(`the signer refuses: ${reason}`)
  }
}
