/** What is said of a call beside its shapes. */
import type { ApiErrorCode } from '@causeway/core'

export interface Operation {
  tag: 'Discovery' | 'Quotes' | 'Swaps' | 'Explorer' | 'Campaigns' | 'Webhooks' | 'Service'
  summary: string
  /** Markdown. */
  description: string
  /** Why it may be refused, beside what may befall every call (`COMMON_CODES`). A test holds all others' answers against it. */
  codes?: readonly ApiErrorCode[]
  /** What it answers where that is no JSON. */
  content?: string
  /** Another name of this operation, for older clients: its examples are the other's. */
  aliasOf?: string
  /** Only an app by its secret key may call it. */
  needsSecretKey?: true
  /** Headers of the request, by the names of the document's parameters. */
  headers?: readonly ('IdempotencyKey' | 'LastEventId')[]
}

/** What may befall every call, whatever it asks for. */
export const COMMON_CODES: readonly ApiErrorCode[] = [
  'API_KEY_FORBIDDEN',
  'RATE_LIMIT_EXCEEDED',
  'UNEXPECTED_ERROR',
  'SERVICE_BUSY',
]

/** A route that cannot be offered, in whichever call it is named. */
export const ROUTE_CODES: readonly ApiErrorCode[] = [
  'CONFLICTING_FUNDING_METHODS',
  'UNSUPPORTED_DEPOSITORY',
  'QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS',
  'ROUTE_NOT_FOUND_ERROR',
  'PRICE_UNAVAILABLE',
  'SERVICE_STARTING',
]

/** And an amount that cannot. */
export const AMOUNT_CODES: readonly ApiErrorCode[] = [
  'LESS_THAN_MIN_ERROR',
  'GREATER_THAN_MAX_ERROR',
  'NETWORK_CURRENCY_DAILY_LIMIT_REACHED',
]
