/**
 * Signing of whole orders. The service asks for a transaction and gets its bytes, never a bare signature. Each
 * transaction is in the signing journal before it is returned: it can be sent again, and the same slot, payout or
 * deposit is never signed for again.
 */
import type { Order, PreparedTransfer, SignedTransfer, Slot } from '@causeway/core'
import type { Proposal, SlotRef } from '../journal/fences.ts'
import type { Closing, Entry, JournalState, RecordedPayout, Signature, StopCode, Vector } from '../journal/line.ts'

export interface SignRequest {
  /** Id of the service's database. Another database has other slots. */
  database: string
  network: string
  order: Order
  slot: Slot
  /** Name of the slot's row in the database. Absent in a request of an older release. */
  allocation?: string | undefined
  draft: PreparedTransfer
  attempt: number
  purpose: Proposal['purpose']
  payouts: readonly RecordedPayout[]
  /** Ids of payouts that the database has for the same swaps and deposits. */
  known: readonly string[]
  writer: [string, number]
}

/** Position of a line in the journal. */
interface Line {
  n: number
  hash: string
}

/** A signature, as recorded in the journal. */
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
  /** Another process released this allocation of the slot, because nothing was signed for it. */
  | { code: 'slot_released' }
  | { code: 'approval_used'; approval: string }
  | { code: 'stopped'; state: StopCode }
  /** The signer's policy refuses; the reason is text. */
  | { code: 'refused'; reason: string }

export type SignAnswer = { is: 'signed'; record: Recorded } | { is: 'refused'; refusal: OrderRefusal }

export interface JournalStatus {
  id: string
  database: string | null
  state: JournalState
  head: Line
  hasSignatures: boolean
  lastBranch: number
  /** Number of the last line before the last restore. The database may lack lines up to this one. */
  restoredTo: number
  /** Whether a line could not be written. Nothing is signed until a restart. */
  isBroken: boolean
  mark: Vector
}

export interface OrderSigner {
  sign(request: SignRequest): Promise<SignAnswer>
  /** The signatures in exactly this slot, oldest first. Throws `RetryLater` while one is being made. */
  recorded(slot: SlotRef): Promise<Recorded[]>
  /**
   * Like `recorded`. If no open transaction is signed in the slot, none will be signed for this allocation: a process
   * that was paused before it signed cannot sign when others have the slot.
   */
  release(slot: SlotRef, allocation: string): Promise<Recorded[]>
  /**
   * Records that the slot is settled in the database. `lines`: the journal lines of the attempts that were considered.
   * False if the slot is to be closed as unpaid while the journal has another transaction in it: the database does not
   * know that one, and it may have paid. Closing twice is harmless.
   */
  close(closing: Omit<Closing, 'type'> & { lines: readonly number[] }): Promise<boolean>
  status(): Promise<JournalStatus>
  /** A branch of deposit addresses for this process, which no other process gets. */
  branch(writer: string): Promise<number>
  stop(code: StopCode, found: Vector): Promise<void>
  saveMark(vector: Vector): Promise<void>
  /** Records that an operator has restored the database and that these counters are valid from now on. */
  resume(vector: Vector, by: string): Promise<void>
  /** Lines after `n`, oldest first. */
  lines(after: number): AsyncIterable<Entry>
  end(): Promise<void>
}
