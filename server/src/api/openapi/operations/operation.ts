/** The texts of a call in the document, besides its schemas. */
import type { ApiErrorCode } from '@causeway/core'

export interface Operation {
  /** The `operationId`: the name of a method in generated clients. */
  id: string
  tag: 'Discovery' | 'Quotes' | 'Swaps' | 'Explorer' | 'Campaigns' | 'Webhooks' | 'Service'
  summary: string
  /** The description in Markdown. */
  description: string
  /** Error codes besides `COMMON_CODES`. A test checks the codes of all responses against it. */
  codes?: readonly ApiErrorCode[]
  /** The content type if it is not JSON. */
  content?: string
  /** Set if the response has no body, and needs neither a key nor a rate limit. */
  isBare?: true
  /** Only an app with its secret key may call it. */
  needsSecretKey?: true
  /** Request headers, by the names of the document's parameters. */
  headers?: readonly ('IdempotencyKey' | 'LastEventId')[]
}

/** Codes that every call may return. */
export const COMMON_CODES: readonly ApiErrorCode[] = [
  'API_KEY_FORBIDDEN',
  'RATE_LIMIT_EXCEEDED',
  'UNEXPECTED_ERROR',
  'SERVICE_BUSY',
]

/** Codes of a route that cannot be offered. */
export const ROUTE_CODES: readonly ApiErrorCode[] = [
  'CONFLICTING_FUNDING_METHODS',
  'UNSUPPORTED_DEPOSITORY',
  'QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS',
  'ROUTE_NOT_FOUND_ERROR',
  'PRICE_UNAVAILABLE',
  'SERVICE_STARTING',
]

/** Codes of an amount that cannot be quoted. */
export const AMOUNT_CODES: readonly ApiErrorCode[] = [
  'LESS_THAN_MIN_ERROR',
  'GREATER_THAN_MAX_ERROR',
  'PRICE_IMPACT_TOO_HIGH',
  'NETWORK_CURRENCY_DAILY_LIMIT_REACHED',
]
