/**
 * A slot of this family is one of our nonces, with the vault that it is used in and the hour at which the first message
 * signed in it expires. The ledger itself has no nonces; its operator accepts one message per vault and nonce.
 */
import { Bug, type Slot } from '@causeway/core'
import { MOST_NONCE } from '../transaction.ts'

export interface Place {
  nonce: number
  /** The hour at which the first signed message expires, in hours since 1970. */
  firstHour: number
  /** The vault that pays: there is one for each token. */
  vault: bigint
}

export function slotOf({ nonce, firstHour, vault }: Place): Slot {
  return [`${nonce}`, `${nonce}@${firstHour}@${vault}`]
}

export function placeOf(slot: Slot): Place {
  const [nonce = '', timed = '', ...rest] = slot
  const [, same, hour, vault = '0'] = /^(0|[1-9]\d{0,9})@([1-9]\d{0,6})@([1-9]\d{0,9})$/.exec(timed) ?? []
  // Each nonce has one spelling: otherwise the same one could be allocated, or signed for, twice.
  if (same === undefined || same !== nonce || rest.length > 0 || Number(nonce) > MOST_NONCE) {
    throw new Bug('not a slot', { slot })
  }
  return { nonce: Number(nonce), firstHour: Number(hour), vault: BigInt(vault) }
}

/** The moment from which nonces count, in Unix seconds. */
const EPOCH_SECONDS = 1_750_000_000

/**
 * The next nonce, above all allocated ones. Nonces also follow the time: a restored database does not know the latest
 * ones, and a nonce that the StarkEx operator has seen cannot be used again.
 */
export function nextNonce(taken: readonly Slot[], nowSeconds: number): number {
  const highest = taken.reduce((most, slot) => Math.max(most, placeOf(slot).nonce), 0)
  return Math.max(highest + 1, Math.floor(nowSeconds) - EPOCH_SECONDS)
}
