/** What the client's methods take: the wire's parameters with the types that programs have at hand. */
import type { z } from 'zod'
import type { CreateSwapBody, NetworkType } from '../wire.ts'

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
  /** As text where it must be exact beyond what a JavaScript number holds. */
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
  /** Counted from 1; twenty a page, newest first. */
  page?: number
  statuses?: readonly (string | number)[]
  networks?: readonly string[]
  include_expired?: boolean
}

export type CreateSwapRequest = z.input<typeof CreateSwapBody>

export interface CallOptions {
  signal?: AbortSignal
}

export interface CreateOptions extends CallOptions {
  /** Yours where you keep one with your order; otherwise one is made for this call and its repetitions. */
  idempotencyKey?: string
}
