/** This family's slot is one nonce of the treasury. */
import { Bug, type Slot } from '@causeway/core'

export function nonceOf(slot: Slot): bigint {
  const [nonce, ...rest] = slot
  if (nonce === undefined || rest.length > 0 || !/^(0|[1-9]\d*)$/.test(nonce)) throw new Bug('not a slot', { slot })
  return BigInt(nonce)
}
