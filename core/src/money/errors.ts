/**
 * The three kinds of error. `ApiError` is the caller's to fix and carries a code. `RetryLater` is temporary. `Bug` is
 * ours. Expected outcomes are return values, not errors.
 */
import type { ApiErrorCode } from './vocabulary.ts'

export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ApiErrorCode
  readonly metadata: Record<string, unknown>
  constructor(code: ApiErrorCode, message: string, metadata: Record<string, unknown> = {}) {
    super(message)
    this.code = code
    this.metadata = metadata
  }
}

/** A temporary failure: a node is down, a lock is taken, a response was lost. A retry may succeed. */
export class RetryLater extends Error {
  override name = 'RetryLater'
}

/** The network fee is above the operator's limit. The payout is fine, but an operator should know. */
export class FeeAboveLimit extends RetryLater {
  override name = 'FeeAboveLimit'
}

/** Our own wallet has too little for the payout or its fee. The payout is retried and succeeds once coins arrive. */
export class TreasuryShort extends RetryLater {
  override name = 'TreasuryShort'
}

/** Every node will reject these bytes permanently, so waiting does not free their slot. */
export class PermanentlyRejected extends RetryLater {
  override name = 'PermanentlyRejected'
}

/**
 * The payout can never be made as ordered, for example because the token rejects the recipient. Nothing was sent yet.
 */
export class PayoutImpossible extends Error {
  override name = 'PayoutImpossible'
}

/** The account that should pay for a relay or a transfer has too little money. */
export class Insufficient extends PayoutImpossible {
  override name = 'Insufficient'
}

/** The slot's UTXOs or nonce were used by another transaction before anything was signed in the slot. */
export class SlotUnavailable extends RetryLater {
  override name = 'SlotUnavailable'
}

export class Bug extends Error {
  override name = 'Bug'
  readonly values: Record<string, unknown>
  constructor(message: string, values: Record<string, unknown> = {}) {
    const shown = Object.entries(values).map(([name, value]) => `${name}=${String(value)}`)
    super(shown.length ? `${message} (${shown.join(', ')})` : message)
    this.values = values
  }
}
