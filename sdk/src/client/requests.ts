/** The parameters of the client's methods: the wire's parameters with convenient types. */
import type { CreateSwapBody, NetworkType, SwapEventType } from '../types.ts'

export interface RouteRequest {
  /** A network's name, or the chain id of an EVM network. */
  source_network: string | number
  /** A token's symbol or contract address. */
  source_token: string
  destination_network: string | number
  destination_token: string
  refuel?: boolean
  /** A fraction: 0.01 is one percent. */
  slippage?: number | string
  use_deposit_address?: boolean
  use_depository?: boolean
  use_gasless?: boolean
  source_address?: string
  destination_address?: string
}

export interface QuoteRequest extends RouteRequest {
  /** The amount; use text if a JavaScript number is not exact enough. */
  amount: number | string
}

interface ReachRequest {
  network_types?: readonly NetworkType[]
  include_swaps?: boolean
  include_unavailable?: boolean
  include_unmatched?: boolean
  has_deposit_address?: boolean
  include_swaps_via_deposit_address?: boolean
}

export interface SourcesRequest extends ReachRequest {
  destination_network?: string | number
  destination_token?: string
}

export interface DestinationsRequest extends ReachRequest {
  source_network?: string | number
  source_token?: string
}

export interface SwapsRequest {
  address?: string | readonly string[]
  reference_id?: string
  /** The page number, from 1; 20 swaps per page, newest first. */
  page?: number
  statuses?: readonly (string | number)[]
  networks?: readonly string[]
  /** The id of the last swap of a page: the list continues after it. */
  cursor?: string
  created_from?: string
  created_before?: string
  source_network?: string | number
  destination_network?: string | number
  include_expired?: boolean
}

export type CreateSwapRequest = CreateSwapBody

export interface CallOptions {
  signal?: AbortSignal
}

export interface WebhookOptions extends CallOptions {
  /** Only these types of events; all types if absent. */
  eventTypes?: readonly SwapEventType[]
}

export interface CreateOptions extends CallOptions {
  /** Your own key, if you store one with your order; otherwise one is generated for this call and its retries. */
  idempotencyKey?: string
}
