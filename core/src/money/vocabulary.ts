/**
 * The words that the service and its clients share: network types, statuses and error codes. It imports nothing,
 * because it is the only file of this package that the SDK bundles for browsers.
 */

export const NETWORK_TYPES = [
  'evm',
  'starknet',
  'solana',
  'cosmos',
  'starkex',
  'zksynclite',
  'ton',
  'paradex',
  'tron',
  'fuel',
  'bitcoin',
  'hyperliquid',
] as const
/** The chain families. The simulated family, used by tests, borrows one of these names. */
export type NetworkType = (typeof NETWORK_TYPES)[number]

/** Networks with real money, or test networks. */
export const ENVIRONMENTS = ['mainnet', 'testnet'] as const

export const STATUSES = [
  'user_transfer_pending',
  'ls_transfer_pending',
  'completed',
  'failed',
  'expired',
  'refund_pending',
  'pending_refund',
  'refunded',
] as const
export type Status = (typeof STATUSES)[number]

/** Types of webhook events: a swap reached this status. */
export const SWAP_EVENT_TYPES = [
  'swap.user_transfer_pending',
  'swap.ls_transfer_pending',
  'swap.completed',
  'swap.failed',
  'swap.expired',
  'swap.refund_pending',
  'swap.pending_refund',
  'swap.refunded',
] as const satisfies readonly `swap.${Status}`[]
export type SwapEventType = (typeof SWAP_EVENT_TYPES)[number]
/** An event that an operator or an app asks for, to try an endpoint. */
export const TEST_EVENT_TYPE = 'webhook.test'
/** Version of the event format. It rises when a field is removed or changes its meaning, not for new fields. */
export const EVENT_SCHEMA_VERSION = 1

/** Statuses after which a client stops waiting. A held refund can still be sent later. */
export const TERMINAL_STATUSES: readonly Status[] = ['completed', 'failed', 'expired', 'pending_refund', 'refunded']

export const DEPOSIT_ACTION_TYPES = ['transfer', 'manual_transfer', 'sign'] as const
export type DepositActionType = (typeof DEPOSIT_ACTION_TYPES)[number]

export const CAMPAIGN_TYPES = ['default', 'for_nft_holders'] as const

/** The periods of the public analytics. */
export const ANALYTICS_PERIODS = ['24h', '7d', '30d', '90d'] as const
export type AnalyticsPeriod = (typeof ANALYTICS_PERIODS)[number]

/** Network types whose chain ids identify a network in the API. Chain ids of other types are not unique. */
export const NAMED_BY_CHAIN_ID: readonly NetworkType[] = ['evm']

/** Every API error code and its HTTP status. */
export const API_ERRORS = {
  API_KEY_FORBIDDEN: 403,
  BLACKLISTED_ADDRESS: 403,
  CONFLICTING_FUNDING_METHODS: 400,
  GREATER_THAN_MAX_ERROR: 400,
  IDEMPOTENCY_KEY_REUSED: 409,
  INVALID_ADDRESS_ERROR: 400,
  LESS_THAN_MIN_ERROR: 400,
  METHOD_NOT_ALLOWED: 405,
  NETWORK_CURRENCY_DAILY_LIMIT_REACHED: 400,
  NOT_FOUND: 404,
  PRICE_IMPACT_TOO_HIGH: 400,
  PRICE_UNAVAILABLE: 503,
  QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS: 400,
  RATE_LIMIT_EXCEEDED: 429,
  REFUND_ADDRESS_REQUIRED: 400,
  ROUTE_NOT_FOUND_ERROR: 404,
  SERVICE_BUSY: 503,
  SERVICE_STARTING: 503,
  UNACTIVATED_ADDRESS_ERROR: 400,
  UNEXPECTED_ERROR: 500,
  UNSUPPORTED_DEPOSITORY: 400,
  VALIDATION_ERROR: 400,
} as const
export type ApiErrorCode = keyof typeof API_ERRORS

/**
 * The text that a sender signs to choose a refund address. It names the swap, the network and the address as the caller
 * wrote it, so the signature is valid for nothing else.
 */
export function refundAddressText(given: { swapId: string; network: string; refundAddress: string }): string {
  const { swapId, network, refundAddress } = given
  return `Send the money of my swap back to this address.\n\nAddress: ${refundAddress}\nNetwork: ${network}\nSwap: ${swapId.toLowerCase()}`
}
