/**
 * Signing whole orders. The service asks for a transaction and gets its bytes, never a bare signature: each is in the journal
 * before it is returned, so it can be sent again, and never signed again for the same slot, payout or deposit.
 */
import type { Order, PreparedTransfer, SignedTransfer, Slot } from '@causeway/core'
import type { Proposal, SlotRef } from '../journal/fences.ts'
import type { Closing, Entry, JournalState, RecordedPayout, Signature, StopCode, Vector } from '../journal/line.ts'

export interface SignRequest {
  /** The database that the service works on: another one has other slots. */
  database: string
  network: string
  order: Order
  slot: Slot
  draft: PreparedTransfer
  attempt: number
  purpose: Proposal['purpose']
  payouts: readonly RecordedPayout[]
  /** Ids of payouts that the database has for the same swaps and deposits. */
  known: readonly string[]
  writer: [string, number]
}

/** A line of the journal. */
interface Line {
  n: number
  hash: string
}

/** What was signed, as the journal has it. */
export interface Recorded extends SlotRef {
  line: Line
  attempt: number
  purpose: Signature['purpose']
  payouts: readonly string[]
  transfer: Required<SignedTransfer>
}

export type OrderRefusal =
  | { code: 'slot_signed' | 'payout_signed'; record: Recorded }
  | { code: 'settled_before'; payouts: string[]; line: Line }
  | { code: 'slot_changed' | 'signing_now' | 'other_database' }
  | { code: 'approval_used'; approval: string }
  | { code: 'stopped'; state: StopCode }
  /** The signer's own policy, in words. */
  | { code: 'refused'; reason: string }

export type SignAnswer = { is: 'signed'; record: Recorded } | { is: 'refused'; refusal: OrderRefusal }

export interface JournalStatus {
  id: string
  database: string | null
  state: JournalState
  head: Line
  hasSignatures: boolean
  lastBranch: number
  /** Lines up to this one are from before the last restore: the database may not have them. */
  restoredTo: number
  mark: Vector
}

export interface OrderSigner {
  sign(request: SignRequest): Promise<SignAnswer>
  /** What was signed in exactly this slot, oldest first. Throws `RetryLater` while something is being signed in it. */
  recorded(slot: SlotRef): Promise<Recorded[]>
  /**
   * The slot is settled in the database. `lines`: those of the attempts that it was judged by. False if it shall be closed unpaid and
   * another transaction was signed in it: the database does not know that one, and it may have paid. Closing twice is harmless.
   */
  close(closing: Omit<Closing, 'type'> & { lines: readonly number[] }): Promise<boolean>
  status(): Promise<JournalStatus>
  stop(code: StopCode, found: Vector): Promise<void>
  saveMark(vector: Vector): Promise<void>
  /** An operator has restored the database: from here on these counters are the present. */
  resume(vector: Vector, by: string): Promise<void>
  /** Lines after `n`, oldest first. */
  lines(after: number): AsyncIterable<Entry>
  end(): Promise<void>
}
