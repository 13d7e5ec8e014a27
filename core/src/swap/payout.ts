/**
 * A payout and its attempts. A payout gets a slot, the slot gets signed attempts, and at most one of them can be mined.
 * `judgeAttempts` reads the chain status of all attempts of a slot. It is the only place that declares a payout
 * confirmed or a slot dead; the payout machine (`payout/next-step.ts`) decides the next step.
 */
import type { Address, TxHash } from '../money/address.ts'
import type { Token } from '../money/network.ts'
import type { InvalidationProof, TransferStatus } from '../port/paying.ts'

/**
 * `output` and `refuel` deliver. `refund` sends a deposit back instead of an output. `return` sends back money that the
 * swap never used: an excess, a second or a late deposit. `sweep` empties deposit addresses. `relay` submits a deposit
 * that its owner signed, and `admin` changes a contract of ours: both spend only gas. `reward` pays a campaign's reward
 * and belongs to no swap. `withdrawal` moves the operator's own money to a listed address. `sale` sells deposits for a
 * hub token: the money stays in our wallet. `recorded` was read from the signing journal after a restore: its order is
 * lost.
 */
export const PAYOUT_KINDS = [
  ...(['output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward'] as const),
  ...(['withdrawal', 'sale', 'recorded'] as const),
] as const
export type PayoutKind = (typeof PAYOUT_KINDS)[number]

/** `open` until the chain confirms it, or until it is proven that nothing was and will be sent (`abandoned`). */
export const PAYOUT_STATES = ['open', 'confirmed', 'abandoned'] as const
export type PayoutState = (typeof PAYOUT_STATES)[number]

/** The exchange that a payout's transaction makes instead of a transfer: it sells the payout's units for `buys`. */
export interface PayoutLeg {
  provider: string
  buys: Token
  /** The least that the recipient gets; with less, the transaction reverts. */
  minUnits: bigint
  route: string
}

export interface Payout {
  kind: PayoutKind
  /** The deposit that a refund or return sends back; null for deliveries. */
  depositId: string | null
  token: Token
  units: bigint
  /** The part of the deposit that was withheld for gas, in addition to `units`; zero for deliveries. */
  feeUnits: bigint
  to: Address
  state: PayoutState
  /** A slot was allocated: from now on a transaction may be in flight. */
  started: boolean
  /** The chain itself rejected the transfer to this address. Not an outage, an operator's decision or a give-up. */
  refused: boolean
  /** An operator rejected it: it is never ordered again automatically. */
  rejected?: boolean
  /** The refund address was set again after the refusal or rejection, which no longer counts. */
  isRefusalCleared: boolean
  /** Set for a sale, and for an output that is bought: the exchange itself pays the recipient. */
  leg?: PayoutLeg
  /** The output that the confirmed exchange gave its recipient, in the bought token. */
  receivedUnits?: bigint
  /** The id of the payout of kind `recorded` that becomes this one. */
  recordedAs?: string
}

export interface AttemptStatus {
  hash: TxHash
  /** Whether the attempt is a cancellation: it consumes the slot and pays nothing. */
  cancels?: boolean
  status: TransferStatus
}

export type Verdict =
  /** The chain has not decided yet. */
  | { step: 'wait' }
  | { step: 'confirmed'; hash: TxHash; feeUnits: bigint; block: bigint }
  | { step: 'reverted'; hash: TxHash; feeUnits: bigint; block: bigint }
  /** Our cancellation consumed the slot and invalidated every paying attempt: nothing was paid. */
  | { step: 'cancelled'; hash: TxHash; feeUnits: bigint; block: bigint; evidence: InvalidationProof }
  /** No attempt can be mined any more: the payout may get a new slot. */
  | { step: 'dead'; evidence: InvalidationProof }

export interface LandingDepths {
  confirmations: number
  finalDepth: number
}

export function judgeAttempts(attempts: readonly AttemptStatus[], depths: LandingDepths): Verdict {
  const paying = attempts.filter(({ cancels }) => !cancels)
  // A successful attempt outweighs a failed one: nodes may contradict each other around a reorg.
  for (const { hash, status } of paying) {
    if (status.state !== 'included') continue
    const done = status.confirmations >= depths.confirmations
    return done ? { step: 'confirmed', hash, feeUnits: status.feeUnits, block: status.block.number } : { step: 'wait' }
  }
  for (const { hash, status } of paying) {
    if (status.state !== 'reverted') continue
    const final = status.confirmations >= depths.finalDepth
    return final ? { step: 'reverted', hash, feeUnits: status.feeUnits, block: status.block.number } : { step: 'wait' }
  }
  for (const { hash, status, cancels } of attempts) {
    // A cancellation that failed on chain is in a block, too, and has consumed the slot.
    if (!cancels || (status.state !== 'included' && status.state !== 'reverted')) continue
    const alone = {
      usedBy: hash,
      block: status.block,
      reason: `${hash} used the slot up, in which nothing else was signed`,
    }
    const evidence = paying.length === 0 ? alone : deathOf(paying)
    const final = status.confirmations >= depths.finalDepth
    if (!final || !evidence) return { step: 'wait' }
    return { step: 'cancelled', hash, feeUnits: status.feeUnits, block: status.block.number, evidence }
  }
  const evidence = deathOf(attempts)
  return evidence ? { step: 'dead', evidence } : { step: 'wait' }
}

/** The proof that none of the attempts can be mined; null unless every one of them is dead. */
function deathOf(attempts: readonly AttemptStatus[]): InvalidationProof | null {
  const proofs = attempts.flatMap(({ status }) => (status.state === 'dead' ? [status.evidence] : []))
  return proofs.length === attempts.length ? (proofs[0] ?? null) : null
}
