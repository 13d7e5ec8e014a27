/** For `status` of transactions whose parents and variants do not matter: no other transaction was signed. */
import type { SignedBefore } from '@causeway/core'

export const nothingSigned: SignedBefore = async () => null
