/** The input and the output of the payout state machine. */
import type { TxHash } from '../money/address.ts'
import type { TransferStatus } from '../port/paying.ts'
import type { PayoutHold } from '../swap/hold.ts'
import type { PayoutKind, PayoutState, Verdict } from '../swap/payout.ts'
import type { Objection, Purpose } from './gate.ts'

export interface PayoutView {
  id: string
  kind: PayoutKind
  state: PayoutState
  /** How often the chain, or every node, refused a transaction of this payout. */
  reverts: number
  /** Whether its transaction is an exchange. */
  isLeg?: boolean
  /** Until when its exchange is valid; null or absent if it has no such term. */
  validUntil?: Date | null
}

export interface SlotView {
  ageMs: number
  /** Whether a signed transaction can be mined only after this slot. Always false if slots are independent. */
  isSignedBehind: boolean
  /** Whether a lower nonce belongs to no slot: a transaction signed in this slot could not be mined. */
  hasGapBefore: boolean
}

export interface AttemptView {
  hash: TxHash
  cancels: boolean
  createdAt: Date
  /** When a node first and last accepted the transaction; null if none did. */
  firstAcceptedAt: Date | null
  lastAcceptedAt: Date | null
  /** Whether every node will reject these bytes permanently. */
  isPermanentlyRejected: boolean
  /** The chain status of the attempt; null if the chain was not asked. */
  status: TransferStatus | null
}

export type Failure =
  /** A node, a lock or the wallet failed: a retry may succeed. */
  | 'retryable'
  /** A bug of ours. It proves nothing about the payout. */
  | 'unexpected'
  /** The payout can never be made as ordered. */
  | 'impossible'
  | 'fee_above_limit'
  /** The gate objected right before the signature. */
  | 'objected'
  | 'signer_refused'
  | 'slot_unavailable'

/** How the last prepare, signature or broadcast failed. */
export interface Outcome {
  of: 'prepare' | 'sign' | 'broadcast'
  purpose: Purpose
  failure: Failure
  /** The hold that operators see if the payout is held for this failure, and the text of the error. */
  hold: PayoutHold
  detail: string | null
}

export interface PayoutPolicy {
  confirmations: number
  finalDepth: number
  /** Age after which an unmined transaction gets a higher fee. */
  stuckAfterMs: number
  /**
   * `giveUpMs`: how long a temporary failure is retried. `patienceMs`: how long a payout that looks impossible is
   * retried.
   */
  giveUpMs: number
  patienceMs: number
}

export interface PayoutMachineFacts {
  now: Date
  policy: PayoutPolicy
  /** `hasKeys`: whether the payout's wallet is the present treasury. The keys of a former one are gone. */
  chain: { isConfigured: boolean; isOrdered: boolean; canReplace: boolean; hasKeys: boolean }
  /** The objections that the gate has to a new signature for these payouts. */
  objections: readonly Objection[]
  /** Whether a deposit that funds the payout was lost, or no node finds it, and no operator approved paying anyway. */
  isSourceLost: boolean
  /** Whether the block of such a deposit was replaced, and the deposit is not verified again yet. */
  isSourceInDoubt: boolean
  /** An operator decided to cancel this slot. */
  isCancelWanted: boolean
  /** An operator decided that the payout was paid after all. */
  wasPaid: boolean
  /** How long the payout has been failing. */
  troubleMs: number
  outcome: Outcome | null
}

export type PayoutStep =
  | { step: 'allocate' | 'sign' | 'send' | 'resend' | 'bump' | 'cancel' }
  /** Move the payout to the present treasury: nothing was signed for it, and the keys of its wallet are gone. */
  | { step: 'change_wallet' }
  /** Free the slot: nothing was signed in it. */
  | { step: 'release' }
  /**
   * Free the slot, because the chain proves that nothing was paid. Payouts in `reorged` were confirmed before: an
   * operator decides about them.
   */
  | { step: 'unpaid'; verdict: Extract<Verdict, { step: 'reverted' | 'cancelled' | 'dead' }>; reorged: string[] }
  /** The payout is confirmed. `verdict` is null if an operator confirmed it. */
  | { step: 'confirm'; verdict: Extract<Verdict, { step: 'confirmed' }> | null }
  /** Held without a deadline, until a rule or an operator ends it. */
  | { step: 'hold'; hold: PayoutHold; detail: string | null }
  /** Retry later. `hold` is shown to operators meanwhile; null if nothing went wrong. */
  | { step: 'wait'; hold: PayoutHold | null; detail: string | null }
  | { step: 'give_up'; because: 'rejected' | 'impossible' | 'trouble'; hold: PayoutHold | null; detail: string | null }
