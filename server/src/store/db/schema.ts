/** Types of the tables as the queries see them. Amounts and counters are bigint, because the pool parses them so. */
import type {
  Account,
  FailReason,
  KeyRef,
  Network,
  PayoutKind,
  PayoutState,
  PostingReason,
  Status,
  SwapEvent,
  Token,
} from '@causeway/core'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { DepositSchema } from './schema-deposit.ts'
import type { HeldBy, HoldSchema } from './schema-holds.ts'
import type { JournalSchema } from './schema-journal.ts'
import type { Maybe, PeopleSchema, Time } from './schema-operators.ts'
import type { Units, WatchSchema } from './schema-watching.ts'

/** Whether a swap's money was delivered or refunded. */
type Settlement = 'output' | 'refund'
export type Environment = 'mainnet' | 'testnet'
export type KeyKind = 'public' | 'secret'
export type AuthorizationStatus = 'initiated' | 'completed' | 'expired' | 'insufficient' | 'rejected'
export type LimitKind =
  | 'swap_max'
  | 'hourly_outflow'
  | 'daily_outflow'
  | 'wallet_ceiling'
  | 'wallet_floor'
  | 'approval_above'
/** The scope of a kill switch or a risk limit. */
export type Scope = 'service' | `${'network' | 'token' | 'route' | 'campaign'}:${string}`

export interface SwapTable {
  id: string
  ordinal: ColumnType<bigint, never, never>
  reference: ColumnType<bigint, bigint, never>
  app_id: Maybe<string>
  reference_id: string | null
  app_name: string | null
  source_exchange: Maybe<string>
  destination_exchange: Maybe<string>
  correlation_id: string | null
  status: Status
  fail_reason: FailReason | null
  settlement: Maybe<Settlement>
  source_network: string
  source_token: string
  destination_network: string
  destination_token: string
  refuel: boolean
  destination_address: string
  source_address: string | null
  refund_address: ColumnType<string | null, string | null, never>
  receiver: string
  uses_deposit_address: boolean
  uses_depository: Generated<boolean>
  uses_gasless: Generated<boolean>
  recipient_effort: Generated<bigint>
  requested_units: bigint | null
  slippage: bigint
  quote: ColumnType<Record<string, string> | null, string | null, string | null>
  agreed_quote: ColumnType<Record<string, string> | null, string | null | undefined, string | null>
  quote_view: ColumnType<Record<string, unknown>, string, string>
  user_exchange: ColumnType<Record<string, string> | null, string | null | undefined, never>
  quote_expires_at: Date
  /** Since when the current price gives less than the minimum output that the quote promised. */
  degraded_at: Maybe<Date>
  expires_at: Date
  /** When the swap's deposits may have to be decided by time, without another event. */
  due_at: Maybe<Date>
  created_at: Date
  closed_at: Maybe<Date>
  /** Since when its history is not in the database any more. */
  archived_at: Maybe<Date>
  /** Seconds from the first sighting of the swap's first deposit until completion. */
  completion_seconds: Maybe<number>
  made_at_head: ColumnType<bigint | null, never, never>
  client_group: Maybe<number>
}

/** A leg as it is stored: tokens by their key, amounts as text. */
export interface StoredLeg {
  provider: string
  buys: string
  minUnits: string
  route: string
  /** Until when the exchange is valid, as an ISO date. Absent before it is first prepared. */
  deadline?: string
  /** The amount that the output after a sale takes from our wallet: reserved while the sale is open. */
  reserves?: { network: string; token: string; units: string }
}

export interface PayoutTable {
  id: Generated<string>
  swap_id: string | null
  number: number
  kind: PayoutKind
  deposit_id: string | null
  /** Counts the refunds or returns of the same deposit: 0 for the first one. */
  sequence: Generated<number>
  network: string
  account: string
  token: string
  units: Units
  kept_units: Generated<bigint>
  to_address: string
  state: PayoutState
  started: Generated<boolean>
  /** When the payout's slot was allocated, by the database's clock, and the payout's value then in 10^-18 dollars. */
  started_at: Maybe<Date>
  usd: Maybe<bigint>
  refused: Generated<boolean>
  settlement: ColumnType<Settlement | null, never, never>
  tx_hash: Maybe<string>
  block_number: Maybe<bigint>
  fee_units: Maybe<bigint>
  /** The exchange that the payout's transaction makes; null for a transfer. Stored as JSON. */
  leg: ColumnType<StoredLeg | null, string | null | undefined, string>
  /** What that exchange gave its recipient. */
  received_units: Maybe<bigint>
  /** Since when a hold of the present class has been open without a break; copied from the open hold. */
  held_since: Maybe<Date>
  held_by: Maybe<HeldBy>
  reverts: Generated<number>
  failed_at: Maybe<Date>
  created_at: Time
  sent_at: Maybe<Date>
  confirmed_at: Maybe<Date>
  /** When an operator rejected it. */
  rejected_at: Maybe<Date>
  /** When the refund address was set again after the payout was refused or rejected: that refusal no longer counts. */
  refusal_cleared_at: Maybe<Date>
  campaign: Maybe<string>
  period: Maybe<number>
  /** The listed address that a withdrawal pays. */
  withdrawal_id: Maybe<string>
}

interface StoredEvidence {
  usedBy: string | null
  block: { number: string; hash: string }
  reason: string
}

export type SwitchCode = 'operator' | 'unknown_outflow' | 'restored'

export interface Schema extends DepositSchema, HoldSchema, JournalSchema, PeopleSchema, WatchSchema {
  swap: SwapTable
  payout: PayoutTable
  withdrawal_address: {
    id: Generated<string>
    network: string
    address: string
    note: string
    added_by: string
    added_at: Date
    removed_by: Maybe<string>
    removed_at: Maybe<Date>
  }
  funding_announcement: {
    id: Generated<string>
    network: string
    token: string
    units: Units
    from_address: string | null
    announced_by: string
    announced_at: Date
    expires_at: Date
    cancelled_at: Maybe<Date>
    deposit_id: Maybe<string>
  }
  prepared_call: { payout_id: string; call: string }
  payout_approval: { payout_id: string; attempt: number; approver: string; signature: string; at: Date }
  gasless_authorization: {
    id: Generated<string>
    swap_id: string
    network: string
    token: string
    owner: string
    nonce: string
    signature: string
    valid_before: Date
    status: AuthorizationStatus
    reason: string | null
    payout_id: string | null
    created_at: Time
  }
  utxo: {
    network: string
    outpoint: string
    owner: string
    units: Units
    created_height: bigint
    is_coinbase: boolean
    spent_height: Maybe<bigint>
  }
  utxo_set: { network: string; edition: bigint; block_number: bigint | null; block_hash: string | null; since: bigint }
  signing_account: { network: string; account: string; fence: Generated<bigint> }
  slot: {
    id: Generated<bigint>
    network: string
    account: string
    parts: string[]
    state: 'open' | 'landed' | 'dead'
    created_at: Time
    evidence: ColumnType<StoredEvidence | null, string | null | undefined, string | null>
    screened_at: Maybe<Date>
  }
  slot_part: { network: string; account: string; part: string; slot_id: bigint }
  slot_payout: { slot_id: bigint; payout_id: string; live: Generated<boolean> }
  sweep_source: { payout_id: string; address: string; token: string; units: bigint }
  swap_event: {
    id: Generated<bigint>
    swap_id: string
    type: SwapEvent['type']
    status: Status
    data: ColumnType<Record<string, unknown>, string, never>
    at: Time
  }
  swap_note: { id: ColumnType<bigint, never, never>; swap_id: string; author: string; at: Date; text: string }
  ledger_entry: {
    id: Generated<bigint>
    posting: string
    reason: PostingReason
    swap_id: string | null
    account: Account
    owner: string
    network: string
    token: string
    units: Units
    at: Time
    folded: Generated<boolean>
    block_number: Maybe<bigint>
  }
  ledger_balance: {
    account: Account
    network: string
    token: string
    owner: string
    units: Units
    looked_block: Maybe<bigint>
    asked_at: Maybe<Date>
  }
  ledger_proof: { one: Generated<boolean>; proven_to: Generated<bigint> }
  balance_snapshot: {
    id: Generated<bigint>
    network: string
    account: string
    token: string
    block_number: bigint
    block_hash: string | null
    verified: Generated<boolean>
    units: Units
    slots_to: bigint
    at: Time
  }
  chain_cursor: {
    network: string
    cursor: string
    head_number: bigint
    head_hash: string
    recheck_from: Maybe<bigint>
    generation: Generated<bigint>
    scanned_to: bigint
    at: Time
  }
  old_price: { swap_id: string; taken_asset: string; paid_asset: string; usd: bigint; at: Date }
  asset_price: { name: string; usd: bigint; at: Date }
  market_snapshot: {
    network: string
    fees: ColumnType<Record<string, string>, string, string>
    balances: ColumnType<Record<string, string>, string, string>
    recent_fees: ColumnType<{ at: number; nativeTransfer: string; tokenTransfer: string }[], string, string>
    survey: string | null
    at: Date
  }
  known_network: { name: string; data: Network; at: Time }
  known_token: { network: string; key: string; data: Token; at: Time }
  public_key: { curve: KeyRef['curve']; path: string; key: Buffer; at: Time }
  treasury: { id: Generated<bigint>; network: string; address: string; at: Time }
  gasless_nonce: { network: string; token: string; owner: string; nonce: string; swap_id: string }
  gasless_deadline: { network: string; token: string; owner: string; phase: number; swap_id: string; until: Date }
  lease: { name: string; holder: string; fence: bigint; expires_at: Date }
  app: { id: Generated<string>; name: string; created_at: Time }
  api_key: {
    id: Generated<string>
    app_id: string
    environment: Environment
    kind: Generated<KeyKind>
    hint: string
    hash: string
    created_at: Time
    expires_at: Maybe<Date>
    revoked_at: Maybe<Date>
  }
  reward: {
    campaign: string
    swap_id: string
    address: string
    period: number
    units: Units
    usd: Units
    at: Time
    payout_id: Maybe<string>
  }
  campaign: {
    number: Generated<number>
    name: string
    network: string
    token: string
    budget_units: Units
    earned_units: Generated<bigint>
    ordered_units: Generated<bigint>
  }
  rate_window: { client: string; ends_at: Date; reads: number; creations: number }
  rate_process: { id: string; seen_at: Date }
  idempotency_key: { scope: string; key: string; body_hash: string; swap_id: string; created_at: Time }
  webhook_endpoint: {
    id: Generated<string>
    app_id: string
    url: string
    secret: string
    created_at: Time
    disabled_at: Maybe<Date>
    event_types: Maybe<string[]>
  }
  webhook_delivery: {
    id: Generated<bigint>
    endpoint_id: string
    swap_id: Maybe<string>
    status: Maybe<Status>
    subject_id: GeneratedAlways<string>
    body: string
    created_at: Time
    attempts: Generated<number>
    next_at: Date
    delivered_at: Maybe<Date>
    failed_at: Maybe<Date>
    last_error: Maybe<string>
    message_id: Generated<string>
    give_up_at: Date
  }
  audit_log: {
    id: Generated<bigint>
    at: Time
    actor: string
    action: string
    data: ColumnType<Record<string, unknown>, string, never>
    previous: Maybe<string>
    hash: Maybe<string>
    signature: Maybe<string>
  }
  request: {
    id: Generated<string>
    command: string
    words: ColumnType<string[], string, never>
    seen: string
    usd: Maybe<number>
    reason: Maybe<string>
    asked_by: string
    asked_at: Date
    outcome: Maybe<'confirmed' | 'refused'>
    settled_by: Maybe<string>
    settled_at: Maybe<Date>
  }
  switch: {
    scope: Scope
    stops_swaps: boolean
    stops_payouts: boolean
    /** Who paused the scope: an operator, or the service for one of its own reasons. */
    code: ColumnType<SwitchCode, SwitchCode | undefined, SwitchCode>
    /** A note for operators. */
    reason: string
    at: Time
  }
  outflow_alert: { network: string; at: Date }
  safety_limit: { kind: LimitKind; scope: Scope; usd: bigint; at: Time }
  wallet_check: { network: string; account: string; checked_to: bigint; at: Time }
  restore_barrier: {
    network: string
    block: Maybe<bigint>
    from_block: Maybe<bigint>
    ordinals_to: bigint
    at: Time
  }
  accepted_transaction: { network: string; account: string; tx_hash: string; at: Time }
  forgotten_sweep: { network: string; emptied: Generated<number> }
  /** The destination of an unmatched deposit that an operator decided: an address or a swap. */
  return_decision: {
    deposit_id: string
    to_address: Maybe<string>
    swap_id: Maybe<string>
    at: Time
    refused: Maybe<string>
  }
}
