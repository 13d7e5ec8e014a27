/**
 * A payout and its attempts. A payout is put into a slot, the slot gets signed attempts, and at most one of them can
 * land. `judge` reads what the chain says of all attempts of a slot and decides what may be done: it is the only place
 * that allows a second signature or declares a slot dead.
 */
import type { Address, TxHash } from '../money/address.ts'
import type { Token } from '../money/network.ts'
import type { InvalidationProof, TransferStatus } from '../port/chain.ts'

/**
 * `output` and `refuel` deliver, `refund` gives the swap's money back instead of an output, `return` gives back money
 * that the swap never used (an excess, a second or a late deposit), `sweep` empties deposit addresses. `relay` makes a
 * deposit that its owner has signed for and `admin` changes a contract of ours: neither spends anything but gas. `reward`
 * pays what an address earned in a campaign, and belongs to no swap.
 */
export type PayoutKind = 'output' | 'refuel' | 'refund' | 'return' | 'sweep' | 'relay' | 'admin' | 'reward'

/** `open` until the chain has confirmed it, or until it is proven that nothing was and will be sent: `abandoned`. */
export type PayoutState = 'open' | 'confirmed' | 'abandoned'

export interface Payout {
  kind: PayoutKind
  /** Which deposit a refund or return gives back; null for deliveries. */
  depositId: string | null
  token: Token
  units: bigint
  /** What was kept of that deposit, besides `units`, for the gas of sending it back; zero for deliveries. */
  feeUnits: bigint
  to: Address
  state: PayoutState
  /** A slot was handed out: from here on something may be on its way. */
  started: boolean
  /** The chain itself would not have it at this address: not an outage, not a person, not a give-up. */
  refused: boolean
  /** A person said no to it: nothing orders it again by itself. */
  rejected?: boolean
  /** Its address was named again after that no: it speaks against it no longer. */
  lifted: boolean
}

export interface AttemptStatus {
  hash: TxHash
  /** It pays nobody: it was signed to use the slot up. */
  cancels?: boolean
  status: TransferStatus
}

export type Verdict =
  | { step: 'wait' }
  /** Send the newest stored bytes again. */
  | { step: 'resend' }
  /** Sign once more in the same slot with a better fee. */
  | { step: 'replace' }
  | { step: 'confirmed'; hash: TxHash; feeUnits: bigint; block: bigint }
  | { step: 'reverted'; hash: TxHash; feeUnits: bigint; block: bigint }
  /** The slot was used up by a cancellation of ours, and all that would have paid is dead by it: nothing was paid. */
  | { step: 'cancelled'; hash: TxHash; feeUnits: bigint; block: bigint; evidence: InvalidationProof }
  /** No attempt can land any more: the payout may get a new slot. */
  | { step: 'dead'; evidence: InvalidationProof }

export interface LandingPolicy {
  confirmations: number
  finalDepth: number
  /** How long ago the newest attempt was sent. */
  sinceSentMs: number
  stuckAfterMs: number
}

export function decideAttempt(attempts: readonly AttemptStatus[], patience: LandingPolicy): Verdict {
  const paying = attempts.filter(({ cancels }) => !cancels)
  // A transfer that was made outweighs one that failed: nodes may contradict each other around a reorg.
  for (const { hash, status } of paying) {
    if (status.state !== 'included') continue
    const done = status.confirmations >= patience.confirmations
    return done ? { step: 'confirmed', hash, feeUnits: status.feeUnits, block: status.block.number } : { step: 'wait' }
  }
  for (const { hash, status } of paying) {
    if (status.state !== 'reverted') continue
    const final = status.confirmations >= patience.finalDepth
    return final ? { step: 'reverted', hash, feeUnits: status.feeUnits, block: status.block.number } : { step: 'wait' }
  }
  for (const { hash, status, cancels } of attempts) {
    // Whether it did what it said or failed at it: it stands in a block, and the slot is used.
    if (!cancels || (status.state !== 'included' && status.state !== 'reverted')) continue
    const alone = {
      usedBy: hash,
      block: status.block,
      reason: `${hash} used the slot up, in which nothing else was signed`,
    }
    const evidence = paying.length === 0 ? alone : deathOf(paying)
    const final = status.confirmations >= patience.finalDepth
    if (!final || !evidence) return { step: 'wait' }
    return { step: 'cancelled', hash, feeUnits: status.feeUnits, block: status.block.number, evidence }
  }
  const evidence = deathOf(attempts)
  if (evidence) return { step: 'dead', evidence }
  if (patience.sinceSentMs >= patience.stuckAfterMs) return { step: 'replace' }
  return attempts.some(({ status }) => status.state === 'pending') ? { step: 'wait' } : { step: 'resend' }
}

/** The proof that none of these can land, where each of them is dead. */
function deathOf(attempts: readonly AttemptStatus[]): InvalidationProof | null {
  const proofs = attempts.flatMap(({ status }) => (status.state === 'dead' ? [status.evidence] : []))
  return proofs.length === attempts.length ? (proofs[0] ?? null) : null
}
