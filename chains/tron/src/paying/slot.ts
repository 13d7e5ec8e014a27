/**
 * The slot is the transaction itself. The chain has no nonce: it rejects the same transaction twice, and accepts none
 * after its expiration. So a slot fixes everything that is signed and names it by its hash: only one byte string fits,
 * whatever a draft says later.
 */
import { Bug, type Order, type PreparedTransfer, type Slot, type TxHash } from '@causeway/core'
import { encodeRaw, idOf, type Terms } from '../transaction.ts'
import { contractOf, type Wording } from './order.ts'
import { parseDraft } from './terms.ts'

export interface ReadSlot extends Terms {
  id: TxHash
}

const WRITTEN = /^([0-9a-f]{64})@(0|[1-9]\d{0,15})@(0|[1-9]\d{0,15})@(0|[1-9]\d{0,15})$/

/** Creates a slot. Its timestamp is later than all others, so that two equal orders are two transactions. */
export function nextSlot(chain: Wording, order: Order, draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const { reference, time, feeLimit } = parseDraft(draft)
  const newest = taken.reduce((latest, slot) => Math.max(latest, parseSlot(slot).timestamp), 0)
  const timestamp = Math.max(time, newest + 1)
  const terms = { reference, expiration: time + chain.settings.expirationMs, timestamp, feeLimit }
  return [idOf(encodeRaw(contractOf(chain, order), terms)), written(terms)]
}

function written({ reference, expiration, timestamp, feeLimit }: Terms): string {
  return `${reference}@${expiration}@${timestamp}@${feeLimit}`
}

export function parseSlot(slot: Slot): ReadSlot {
  const [id = '', terms = '', ...more] = slot
  const match = WRITTEN.exec(terms)
  if (!/^[0-9a-f]{64}$/.test(id) || !match || more.length > 0) throw new Bug('not a slot of this family', { slot })
  const [, reference = '', expiration, timestamp, feeLimit = ''] = match
  return { id, reference, expiration: Number(expiration), timestamp: Number(timestamp), feeLimit: BigInt(feeLimit) }
}

/** The bytes to sign in this slot for this order. Throws if the slot was made for another order. */
export function rawOf(chain: Wording, order: Order, slot: Slot): Uint8Array {
  const { id, ...terms } = parseSlot(slot)
  const raw = encodeRaw(contractOf(chain, order), terms)
  if (idOf(raw) !== id) throw new Bug('the slot was made for another order', { slot: id })
  return raw
}

/** The number of the reference block is the first part of its id. */
export function referenceNumber({ reference }: Pick<Terms, 'reference'>): bigint {
  return BigInt(`0x${reference.slice(0, 16)}`)
}
