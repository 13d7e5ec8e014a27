/** The types of a swap: its data, its events, and the result of a step. `advance.ts` and the files it calls move it. */
import type { Address } from '../money/address.ts'
import type { Token } from '../money/network.ts'
import type { Status } from '../money/vocabulary.ts'
import type { Posting } from './ledger.ts'
import type { Payout, PayoutKind } from './payout.ts'
import type { Pricing, Quote } from './quote.ts'

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
  /** A reorg removed the deposit after part of the swap was sent. */
  | 'deposit_lost'

export interface Deposit {
  id: string
  units: bigint
  from: Address | null
  /** The address of ours that received it. */
  to: Address
  /** First seen in a block. Mempool sightings do not count, so that a waiting transaction cannot hold a quote open. */
  seenAt: Date
  /** When it arrived, for the quote's term: the block's timestamp, but never later than `seenAt`. */
  cameAt: Date
  /** When it was credited; null until then. */
  confirmedAt: Date | null
  /** `gone` after a reorg; `lost` if part of it had been spent on the swap by then. */
  state: 'seen' | 'confirmed' | 'gone' | 'lost'
  /** Used for the output, and refunded or kept. Together never more than `units`. */
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
  /** Given at creation, for deposits without a refund address of their own. */
  refundAddress: Address | null
  usesDepositAddress: boolean
  /** The deposit goes through our contract, in the owner's transaction or in ours with the owner's signature. */
  usesDepository: boolean
  usesGasless: boolean
  /** Null for an open amount: any deposit inside the limits is swapped. */
  requestedUnits: bigint | null
  slippage: bigint
  /** The quote at creation, or the one that the deposits were settled at. */
  quote: Quote | null
  /** The quote at creation, if `quote` has changed since. Deposits after a reorg are judged by it. */
  originalQuote: Quote | null
  /** Until then a deposit is paid as quoted, unless the price moved too far. */
  quoteExpiresAt: Date
  /** Since when today's price gives less than agreed; null while it does not. */
  repriceSince: Date | null
  /** Without a deposit by then the swap expires. */
  expiresAt: Date
  closedAt: Date | null
  deposits: Deposit[]
  payouts: Payout[]
}

/** A payout that the signing journal has and a restored database had lost. */
export interface RecordedPayout {
  id: string
  kind: 'output' | 'refuel' | 'refund' | 'return'
  token: Token
  units: bigint
  to: Address
  state: 'open' | 'confirmed'
  /** Deposits of this swap that it settled, as far as the database has them. */
  depositIds: readonly string[]
  /** The swap has it already: a further deposit that it settled was credited. */
  isAttached: boolean
}

/** Names one payout of a swap. */
export interface PaidBy {
  kind: PayoutKind
  depositId: string | null
  /**
   * Its index among the swap's payouts, since one deposit may be returned in several parts. Without it, the first match
   * is meant.
   */
  number?: number
}

export type SwapEvent =
  | { type: 'deposit_seen'; deposit: Deposit }
  /** `recorded`: payouts of the signing journal that settled it before a restore. They come before pricing. */
  | { type: 'deposit_confirmed'; depositId: string; units: bigint; recorded?: readonly RecordedPayout[] }
  | { type: 'deposit_gone'; depositId: string }
  | ({ type: 'payout_confirmed'; from: Address } & PaidBy)
  /** It was confirmed, but at final depth it is proven not made: a reorg went deeper than the confirmation tier. */
  | ({ type: 'payout_undone'; from: Address } & PaidBy)
  /** Proven that nothing was and will be sent. `refused`: by the chain. `rejected`: by an operator. */
  | ({ type: 'payout_abandoned'; refused?: boolean; rejected?: boolean } & PaidBy)
  /** The journal has payouts of this swap that the database had lost. */
  | { type: 'payout_recorded'; recorded: readonly RecordedPayout[] }
  /** Time has passed: windows close, and postponed decisions are retried. */
  | { type: 'tick' }
  /**
   * Applies only to those of the named deposits that are owed, because the caller has rights over these alone. `by` is
   * for the history, with two exceptions: only an operator clears an operator's rejection, and only an operator states
   * the fee of the refund, for a token whose price is unknown.
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
  /** Null if the route cannot be priced now: a network is down, a price is stale, the route was closed. */
  pricing: Pricing | null
  /** The cost of sending the source token back, in that token; null if unknown now. */
  refundFeeUnits: bigint | null
  /** The operator's dust limit in the source token: only such an amount is kept if it does not cover its gas. */
  dustUnits: bigint
  /** How long a sum that nearly covers the request waits for the rest. */
  topUpMs: number
  /** How much worse for us than today's price a quote may be and still be paid. */
  quoteDeviationBps: bigint
}

export interface Step {
  swap: Swap
  postings: Posting[]
  /** Messages for the operator. */
  alerts: string[]
  /** When a tick may decide something about the deposits; null if only an event can. */
  dueAt: Date | null
}
