/**
 * A slot of this family is one nonce of the treasury's account. A signed transfer stays valid practically forever: only
 * another transaction with that nonce ends it, which can be proven.
 */
import { Bug, type Slot } from '@causeway/core'

const MOST = 0xffff_ffff

export function nonceOf(slot: Slot): number {
  const [nonce, ...rest] = slot
  if (nonce === undefined || rest.length > 0 || !/^(0|[1-9]\d{0,9})$/.test(nonce) || Number(nonce) > MOST) {
    throw new Bug('not a slot', { slot })
  }
  return Number(nonce)
}

/** The lowest free nonce, starting from `first`: a released one must not leave a gap. */
export function freeSlot(first: number, taken: readonly Slot[]): Slot {
  const used = new Set(taken.map(nonceOf))
  let nonce = first
  while (used.has(nonce)) nonce++
  return [nonce.toString()]
}
