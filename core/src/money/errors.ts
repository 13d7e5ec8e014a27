/**
 * The three kinds of error. `ApiError` is the caller's to mend and carries a code; `RetryLater` is nobody's fault and
 * passes with time; `Bug` is ours. Expected outcomes are return values, not errors.
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

/** A node is down, a lock is taken, an answer was lost: the same call may go through later. */
export class RetryLater extends Error {
  override name = 'RetryLater'
}

/** The network asks for more than the operator lets a transaction cost. Not the payout's fault, and a person should know. */
export class FeeAboveLimit extends RetryLater {
  override name = 'FeeAboveLimit'
}

/** Every node says that it will never take these bytes, whatever happens: the slot they stand in waits for nothing. */
export class PermanentlyRejected extends RetryLater {
  override name = 'PermanentlyRejected'
}

/** The order can never be paid as it stands (the token refuses the recipient, say). Proof that nothing was sent yet. */
export class PayoutImpossible extends Error {
  override name = 'PayoutImpossible'
}

/** The one whose money was to be moved has too little of it. */
export class Insufficient extends PayoutImpossible {
  override name = 'Insufficient'
}

/** The coins or the number behind a slot are not there any more, and nothing was signed with them. */
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
