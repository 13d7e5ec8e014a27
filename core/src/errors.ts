/**
 * The three kinds of error. `ApiError` is the caller's to mend and carries a code; `RetryLater` is nobody's fault and
 * passes with time; `Bug` is ours. Expected outcomes are return values, not errors.
 */

/** Every code the API answers with, and its HTTP status. */
export const API_ERRORS = {
  API_KEY_FORBIDDEN: 403,
  BLACKLISTED_ADDRESS: 403,
  CONFLICTING_FUNDING_METHODS: 400,
  GREATER_THAN_MAX_ERROR: 400,
  IDEMPOTENCY_KEY_REUSED: 409,
  INVALID_ADDRESS_ERROR: 400,
  LESS_THAN_MIN_ERROR: 400,
  NETWORK_CURRENCY_DAILY_LIMIT_REACHED: 400,
  NOT_FOUND: 404,
  PRICE_IMPACT_TOO_HIGH: 400,
  QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS: 400,
  RATE_LIMIT_EXCEEDED: 429,
  REFUND_ADDRESS_REQUIRED: 400,
  ROUTE_NOT_FOUND_ERROR: 404,
  UNACTIVATED_ADDRESS_ERROR: 400,
  UNEXPECTED_ERROR: 500,
  UNSUPPORTED_DEPOSITORY: 400,
  VALIDATION_ERROR: 400,
} as const

export type ApiErrorCode = keyof typeof API_ERRORS

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

/** The order can never be paid as it stands (the token refuses the recipient, say). Proof that nothing was sent yet. */
export class Unpayable extends Error {
  override name = 'Unpayable'
}

/** The one whose money was to be moved has too little of it. */
export class Insufficient extends Unpayable {
  override name = 'Insufficient'
}

/** The coins or the number behind a slot are not there any more, and nothing was signed with them. */
export class SlotGone extends RetryLater {
  override name = 'SlotGone'
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
