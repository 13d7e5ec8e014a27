/** The errors of a call: one class per kind, each with the service's response. */
import type { ApiErrorCode } from '@causeway/core/vocabulary'
import type { ApiError } from '../types.ts'

/** The base class: `catch (error) { if (error instanceof CausewayError) … }`. */
export class CausewayError extends Error {
  override name = 'CausewayError'
}

/** No response: the connection failed or timed out. The request may have been carried out. */
export class NoAnswerError extends CausewayError {
  override name = 'NoAnswerError'
}

/** A signature is invalid, or does not cover what it should. */
export class VerificationError extends CausewayError {
  override name = 'VerificationError'
}

export interface Refusal extends ApiError {
  status: number
  /** Give this to the operator when you report a problem. */
  correlationId: string | null
  retryAfterMs: number | null
}

/** The service answered with an error. */
export class RequestError extends CausewayError {
  override name = 'RequestError'
  readonly status: number
  readonly code: string
  readonly metadata: Record<string, unknown>
  readonly correlationId: string | null
  /** How long the service asks to wait, if it does. */
  readonly retryAfterMs: number | null
  constructor({ status, code, message, metadata, correlationId, retryAfterMs }: Refusal) {
    super(`${code}: ${message}`)
    this.status = status
    this.code = code
    this.metadata = metadata
    this.correlationId = correlationId
    this.retryAfterMs = retryAfterMs
  }
}

/** The request is invalid; `metadata` names the fields. */
export class InvalidRequestError extends RequestError {
  override name = 'InvalidRequestError'
}

/** The amount is outside the route's limits; `limit` is the bound that it violates. */
export class AmountLimitError extends InvalidRequestError {
  override name = 'AmountLimitError'
  get limit(): number {
    return Number(this.metadata.AmountLimit)
  }
}

/** The key or the address is not allowed. */
export class ForbiddenError extends RequestError {
  override name = 'ForbiddenError'
}

/** No such swap, network, token or route. */
export class NotFoundError extends RequestError {
  override name = 'NotFoundError'
}

/** The idempotency key was used with another body. */
export class ConflictError extends RequestError {
  override name = 'ConflictError'
}

/** Too many requests, even after the allowed waiting time. */
export class RateLimitError extends RequestError {
  override name = 'RateLimitError'
}

/** The service failed. */
export class ServiceError extends RequestError {
  override name = 'ServiceError'
}

/**
 * Temporarily unavailable: the service is starting, has no price, or is busy. Reads were retried already;
 * `retryAfterMs` says when to try again.
 */
export class NotReadyError extends ServiceError {
  override name = 'NotReadyError'
}

const AMOUNT_CODES: readonly string[] = ['LESS_THAN_MIN_ERROR', 'GREATER_THAN_MAX_ERROR'] satisfies ApiErrorCode[]

export function errorFor(refusal: Refusal): RequestError {
  if (AMOUNT_CODES.includes(refusal.code)) return new AmountLimitError(refusal)
  if (refusal.status === 503) return new NotReadyError(refusal)
  if (refusal.status >= 500) return new ServiceError(refusal)
  const Kind = KINDS[refusal.status] ?? InvalidRequestError
  return new Kind(refusal)
}

const KINDS: Record<number, typeof RequestError> = {
  401: ForbiddenError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
}
