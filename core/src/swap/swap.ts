/**
 * What a swap is, what can happen to it, and what a step of it answers. How it moves is in `advance.ts` and in the files
 * that it calls; all of them speak in these types.
 */
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
  /** A reorg took the deposit when part of the swap was sent already. */
  | 'deposit_lost'

export interface Deposit {
  id: string
  units: bigint
  from: Address | null
  /** Which of our addresses it stands on. */
  to: Address
  /** When it was first seen in a block: a quote is not held open for a transaction that still waits in a mempool. */
  seenAt: Date
  /** When it came, for the quote's term: its block's own time, but never later than it was seen. */
  cameAt: Date
  /** When it counted; null until then. */
  confirmedAt: Date | null
  /** `gone` after a reorg; `lost` where some of it had been spent for the swap by then. */
  state: 'seen' | 'confirmed' | 'gone' | 'lost'
  /** What of it was used for the output, and what of it was given back or kept. Together never more than `units`. */
  outputUnits: bigint
  refundUnits: bigint
  /** Where it shall go back to, said for this deposit while it was owed; null where nobody did. */
  refundAddress: Address | null
}

export interface Swap {
  id: string
  source: Token
  destination: Token
  /** The destination network's native token where a refuel was asked for. */
  refuel: Token | null
  status: Status
  failReason: FailReason | null
  destinationAddress: Address
  sourceAddress: Address | null
  /** As the swap was made with it, for whatever of its deposits has none of its own. */
  refundAddress: Address | null
  usesDepositAddress: boolean
  /** The deposit comes through a contract of ours, by the owner's own transaction or by one of ours for a signature. */
  usesDepository: boolean
  usesGasless: boolean
  /** Null where whatever arrives inside the limits is swapped. */
  requestedUnits: bigint | null
  slippage: bigint
  /** The quote the swap was made with, or the one that what came was paid at. */
  quote: Quote | null
  /** The one it was made with, where `quote` is another one by now: what comes after a reorg is judged by it. */
  originalQuote: Quote | null
  /** Until when a deposit is paid as quoted, but for a price that moved too far. */
  quoteExpiresAt: Date
  /** Since when today's price gives less for its money than was agreed to; null while it does not. */
  repriceSince: Date | null
  /** No deposit until then: expired. */
  expiresAt: Date
  closedAt: Date | null
  deposits: Deposit[]
  payouts: Payout[]
}

/** Which of a swap's payouts is meant. */
export interface PaidBy {
  kind: PayoutKind
  depositId: string | null
  /** Its place among them. One deposit may go back in several parts; without a number the first that it may be said of is meant. */
  number?: number
}

export type SwapEvent =
  | { type: 'deposit_seen'; deposit: Deposit }
  | { type: 'deposit_confirmed'; depositId: string; units: bigint }
  | { type: 'deposit_gone'; depositId: string }
  | ({ type: 'payout_confirmed'; from: Address } & PaidBy)
  /** It counted already, but proven at final depth that it was not made after all: a reorg went deeper than its tier. */
  | ({ type: 'payout_undone'; from: Address } & PaidBy)
  /** Proven that nothing was and will be sent for it. `refused` where the chain itself would not have it, `rejected` where a person. */
  | ({ type: 'payout_abandoned'; refused?: boolean; rejected?: boolean } & PaidBy)
  /** Time has passed: windows close, and what could not be decided before is tried again. */
  | { type: 'tick' }
  /**
   * Only for those of these deposits that are owed, and for nothing else of the swap: whoever said it has a say over them
   * alone. `by` is for the history, but for one thing: what an operator rejected is an operator's to allow again.
   */
  | { type: 'refund_address_given'; address: Address; depositIds: string[]; by?: 'app' | 'sender' | 'operator' }

export interface Context {
  now: Date
  /** Null where the route cannot be priced now: a network is down, a price is stale, the route was closed. */
  pricing: Pricing | null
  /** What sending the source token back costs, in that token; null where that is not known now. */
  refundFeeUnits: bigint | null
  /** How long a sum that is nearly what was asked for waits for the rest. */
  topUpMs: number
  /** How much worse for us than today's price a quote may be that is still paid. */
  quoteDeviationBps: bigint
}

export interface Step {
  swap: Swap
  postings: Posting[]
  /** What a person must know. */
  alerts: string[]
  /** When time may decide something about the money that is here, by itself; null where nothing but an event can. */
  dueAt: Date | null
}
