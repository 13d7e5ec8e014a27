/** The types of a swap: its data, its events, and the result of a step. `advance.ts` and the files it calls move it. */

import type { Address } from '../money/address.ts'
import type { Token } from '../money/network.ts'
import type { Status } from '../money/vocabulary.ts'
import type { Posting } from './ledger.ts'
import type { LegQuote } from './legs.ts'
import type { Payout, PayoutKind, PayoutLeg } from './payout.ts'
import type { Pricing, Quote } from './quote.ts'
import type { OldPrice } from './quote-term.ts'

export function isClosed(status: Status): boolean {
  return status === 'completed' || status === 'failed' || status === 'expired' || status === 'refunded'
}

export type FailReason =
  | 'received_less_than_valid_range'
  | 'received_more_than_valid_range'
  | 'swap_route_unavailable'
  | 'degraded_quote'
  | 'insufficient_liquidity'
  | 'payout_rejected'
  /** The fail reason if a reorg removed the deposit after part of the swap was sent. */
  | 'deposit_lost'

export interface Deposit {
  id: string
  units: bigint
  from: Address | null
  /** Our address that received the deposit. */
  to: Address
  /**
   * When the deposit was first seen in a block. Mempool sightings do not count, so that a waiting transaction cannot
   * hold a quote open.
   */
  seenAt: Date
  /**
   * When the deposit arrived, which decides whether the quote applies: the block's timestamp, but never later than
   * `seenAt`.
   */
  cameAt: Date
  /** When it was credited; null until then. */
  confirmedAt: Date | null
  /**
   * The database's state of a deposit: `seen` is pending, `confirmed` credited, `gone` orphaned, `lost` orphaned after
   * part of it was spent on the swap.
   */
  state: 'seen' | 'confirmed' | 'gone' | 'lost'
  /** The units used for the output, and the units refunded or kept. Their sum is never more than `units`. */
  outputUnits: bigint
  refundUnits: bigint
  /** The refund address given for this deposit while it was owed; null if none. */
  refundAddress: Address | null
}

export interface Swap {
  id: string
  source: Token
  destination: Token
  /** The destination network's native token if a refuel was requested. */
  refuel: Token | null
  status: Status
  failReason: FailReason | null
  destinationAddress: Address
  sourceAddress: Address | null
  /** The refund address given at creation, for deposits without their own. */
  refundAddress: Address | null
  usesDepositAddress: boolean
  /**
   * Whether the deposit goes through our Depository contract, sent by the owner or relayed by us with the owner's
   * signature.
   */
  usesDepository: boolean
  usesGasless: boolean
  /**
   * The exchange that the depositor's own transaction makes; absent if it makes none. It pays the swap's deposit address,
   * so `source` is the hub token that it buys, and the request is its expected output.
   */
  userExchange?: LegQuote
  /** The requested amount; null for an open amount: any deposit inside the limits is swapped. */
  requestedUnits: bigint | null
  slippage: bigint
  /** The quote at creation, or the one that the deposits were settled at. */
  quote: Quote | null
  /** The quote at creation, if `quote` has changed since. Deposits after a reorg are judged by it. */
  originalQuote: Quote | null
  /** Until this time a deposit is paid as quoted, unless the price moved too far. */
  quoteExpiresAt: Date
  /** Since when the current price gives less than the agreed minimum; null while it does not. */
  repriceSince: Date | null
  /** Without a deposit by then the swap expires. */
  expiresAt: Date
  closedAt: Date | null
  deposits: Deposit[]
  payouts: Payout[]
}

/** A recorded payout: the signing journal has it, and a restored database had lost it. */
export interface RecordedPayout {
  id: string
  kind: 'output' | 'refuel' | 'refund' | 'return' | 'sale'
  token: Token
  units: bigint
  to: Address
  state: 'open' | 'confirmed'
  /** The deposits of this swap that the payout settled, as far as the database has them. */
  depositIds: readonly string[]
  /** The exchange that it made instead of a transfer, and what that gave its recipient, once it is confirmed. */
  leg?: PayoutLeg
  receivedUnits?: bigint
  /** Whether the swap has it already, because another deposit that it settled was credited before. */
  isAttached: boolean
}

/** Names one payout of a swap. */
export interface PaidBy {
  kind: PayoutKind
  depositId: string | null
  /**
   * The index among the swap's payouts, since one deposit may be returned in several parts. Without it, the first match
   * is meant.
   */
  number?: number
}

export type SwapEvent =
  | { type: 'deposit_seen'; deposit: Deposit }
  /**
   * `recorded`: recorded payouts that settled the deposit before a restore. They are attached before anything is
   * priced.
   */
  | { type: 'deposit_confirmed'; depositId: string; units: bigint; recorded?: readonly RecordedPayout[] }
  | { type: 'deposit_gone'; depositId: string }
  /**
   * `receivedUnits`: what an exchange gave its recipient, from its receipt. Required for a sale. `recorded`: recorded
   * payouts that the proceeds of the sale had paid for before a restore.
   */
  | ({
      type: 'payout_confirmed'
      from: Address
      receivedUnits?: bigint
      recorded?: readonly RecordedPayout[]
    } & PaidBy)
  /** A confirmed payout is proven unpaid at final depth: a reorg went deeper than the confirmation tier. */
  | ({ type: 'payout_undone'; from: Address } & PaidBy)
  /** It is proven that the payout was not and will not be sent. `refused`: by the chain. `rejected`: by an operator. */
  | ({ type: 'payout_abandoned'; refused?: boolean; rejected?: boolean } & PaidBy)
  /** An operator states what a sale really brought, less than a node had claimed. */
  | { type: 'proceeds_corrected'; units: bigint; from: Address }
  /** The journal has payouts of this swap that a restored database had lost. */
  | { type: 'payout_recorded'; recorded: readonly RecordedPayout[] }
  /** Time has passed: windows close, and postponed decisions are retried. */
  | { type: 'tick' }
  /**
   * A refund address is set. It applies only to those of the named deposits that are owed, because the caller has
   * rights over these alone. `by` is for the history, with two exceptions: only an operator clears an operator's
   * rejection, and only an operator states the refund's fee, for a token whose price is unknown.
   */
  | {
      type: 'refund_address_given'
      address: Address
      depositIds: string[]
      by?: 'app' | 'sender' | 'operator'
      feeUnits?: bigint
    }

export interface Context {
  now: Date
  /**
   * The prices and fees of the route; null if it cannot be priced now: a network is down, a price is stale, the route
   * was closed.
   */
  pricing: Pricing | null
  /** The cost of sending the source token back, in that token; null if unknown now. */
  refundFeeUnits: bigint | null
  /** The cost of sending the hub token of a sale; null or absent if unknown now, or without a sale. */
  proceedsFeeUnits?: bigint | null
  /** Our hot wallet on the source network, which makes a sale and receives its proceeds; absent without a sale. */
  sellingWallet?: Address
  /** The operator's dust limit in the source token: only an amount up to it is kept if it does not cover its gas. */
  dustUnits: bigint
  /** How long a sum that nearly covers the request waits for the rest. */
  topUpMs: number
  /** How much worse for us than the current price a quote may be and still be paid. */
  quoteDeviationBps: bigint
}

export interface Step {
  swap: Swap
  postings: Posting[]
  /** Messages for the operator. */
  alerts: string[]
  /** Set if the deposits were settled at a price that costs us more than the service fee. */
  oldPrice: OldPrice | null
  /** When a tick may decide something about the deposits; null if only an event can. */
  dueAt: Date | null
}
