/** What the payout machine looks at, and what it answers. */
import type { TxHash } from '../money/address.ts'
import type { TransferStatus } from '../port/paying.ts'
import type { PayoutHold } from '../swap/hold.ts'
import type { PayoutKind, PayoutState, Verdict } from '../swap/payout.ts'
import type { Objection, Purpose } from './gate.ts'

export interface PayoutView {
  id: string
  kind: PayoutKind
  state: PayoutState
  /** How often the chain, or every node, refused a transaction of it. */
  reverts: number
}

export interface SlotView {
  ageMs: number
  /** Something is signed that can be mined only after this slot. Always false if slots are independent. */
  isSignedBehind: boolean
  /** A lower nonce belongs to no slot: what is signed here would wait behind it. */
  hasGapBefore: boolean
}

export interface AttemptView {
  hash: TxHash
  cancels: boolean
  createdAt: Date
  /** When a node accepted it first and last; null if none did. */
  firstAcceptedAt: Date | null
  lastAcceptedAt: Date | null
  /** Every node will reject these bytes for ever. */
  isPermanentlyRejected: boolean
  /** Null if the chain was not asked. */
  status: TransferStatus | null
}

export type Failure =
  /** A node, a lock or the wallet: it may work later. */
  | 'retryable'
  /** A fault of ours. It proves nothing about the payout. */
  | 'unexpected'
  /** The payout can never be made as ordered. */
  | 'impossible'
  | 'fee_above_limit'
  /** The gate objects at the signature. */
  | 'objected'
  | 'signer_refused'
  | 'slot_already_signed'
  | 'slot_unavailable'

/** How the last prepare, signature or broadcast failed. */
export interface Outcome {
  of: 'prepare' | 'sign' | 'broadcast'
  purpose: Purpose
  failure: Failure
  /** What people are shown if the payout is held for it, and the text of the error. */
  hold: PayoutHold
  detail: string | null
}

export interface PayoutPolicy {
  confirmations: number
  finalDepth: number
  /** Age after which a transaction that is not mined gets a higher fee. */
  stuckAfterMs: number
  /** How long a payout is retried that fails for a passing reason, and one that can never be made. */
  giveUpMs: number
  patienceMs: number
}

export interface PayoutMachineFacts {
  now: Date
  policy: PayoutPolicy
  chain: { isConfigured: boolean; isOrdered: boolean; canReplace: boolean }
  /** What the gate answered for the payouts of the slot, for a new signature. */
  objections: readonly Objection[]
  /** A deposit that it is paid from was lost, and no person approved that. */
  isSourceLost: boolean
  /** An operator decided to cancel this slot. */
  isCancelWanted: boolean
  /** An operator decided that it was paid after all. */
  wasPaid: boolean
  /** How long its trouble has lasted. */
  troubleMs: number
  outcome: Outcome | null
}

export type PayoutStep =
  | { step: 'allocate' | 'sign' | 'send' | 'resend' | 'bump' | 'cancel' }
  /** Free the slot: nothing was signed in it. */
  | { step: 'release' }
  /** Free the slot on the chain's evidence. The payouts in `reorged` had been confirmed: an operator decides about them. */
  | { step: 'unpaid'; verdict: Extract<Verdict, { step: 'reverted' | 'cancelled' | 'dead' }>; reorged: string[] }
  /** Without a verdict an operator said so. */
  | { step: 'confirm'; verdict: Extract<Verdict, { step: 'confirmed' }> | null }
  /** Without a deadline: until a rule or a person ends it. */
  | { step: 'hold'; hold: PayoutHold; detail: string | null }
  /** Retry later. `hold` is what people are shown meanwhile, if anything went wrong. */
  | { step: 'wait'; hold: PayoutHold | null; detail: string | null }
  | { step: 'give_up'; because: 'rejected' | 'impossible' | 'trouble'; hold: PayoutHold | null; detail: string | null }
