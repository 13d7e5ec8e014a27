/**
 * The types of requests and responses, without zod. Written from the schemas in `wire/` by `npm run clients`: do not edit.
 */

export interface Analytics {
  generated_at: string
  range: {
    from: string
    to: string
    bucket_size: 'hour' | 'day' | 'week'
  }
  available_networks: {
    name: string
    display_name: string
    logo: string
  }[]
  networks: NetworkVolumes[]
}

export interface ApiError {
  code: string
  message: string
  metadata: Record<string, unknown>
}

export interface App {
  id: string
  /** The same as id */
  client_id: string
  name: string
  display_name: string
  logo: string
  logo_url: string
  is_wallet: boolean
}

export interface Authorization {
  status: 'awaiting_signature' | 'initiated' | 'published' | 'completed' | 'expired' | 'insufficient' | 'rejected'
  /** Null until the authorization is on chain */
  transaction: Transaction | null
}

export interface AuthorizeBody {
  /** Of typed_data, in hex */
  signature: string
  /** Who signed: the swap's source_address */
  signer_address: string
}

export interface Balance {
  amount: number
  amount_in_base_units: string
  /** Of the token that fees are paid in */
  native_amount_in_base_units: string
  /** The approximate cost of sending the token, in the native token */
  transfer_cost_in_base_units: string
}

export interface Campaign {
  /** The id that other calls use; the name works too */
  id: number
  name: string
  display_name: string
  description: string | null
  logo_url: string | null
  type: 'default' | 'for_nft_holders'
  status: 'upcoming' | 'active' | 'ended'
  nft_contract_address: string | null
  token: Token
  network: Network
  /** How much of the service fee is given back; 50 is half */
  percentage: number
  total_budget: number
  /** Earned so far */
  distributed_amount: number
  /** Less than this waits for another period */
  min_payout_amount: number
  max_payout_amount: number
  start_date: string
  end_date: string
  /** In days: what was earned in one is paid after it */
  reward_limit_period: number
}

export interface CheckedAddress {
  valid: boolean
  /** In the form that this network writes it */
  address: string | null
  /** We do not send there: it would be lost, is our own, or is screened */
  blocked: boolean
  /** Null if that is not known */
  contract: boolean | null
  /** Null if that is not known, or means nothing on this network */
  activated: boolean | null
}

export interface CreateSwapBody {
  /** A network's name, or an EVM network's chain id */
  source_network: string | number
  /** A token's symbol or contract address; for a native token the family's zero address works too */
  source_token: string
  /** A network's name, or an EVM network's chain id */
  destination_network: string | number
  /** A token's symbol or contract address; for a native token the family's zero address works too */
  destination_token: string
  /** Who receives, on the destination network */
  destination_address: string
  /**
   * In whole source tokens, as a number or as text, which stays exact. May be absent with use_deposit_address: any
   * amount inside the limits is swapped
   */
  amount?: number | string | null | undefined
  /** Who pays. Needed with use_gasless, and on networks whose transaction is built for its payer (Solana) */
  source_address?: string | null | undefined
  /**
   * Where the money goes back to, on the source network. Always give one with use_deposit_address: the sender may be an
   * exchange
   */
  refund_address?: string | null | undefined
  /** Your own number for it; shown to your secret key, and searchable by it */
  reference_id?: string | null | undefined
  /** A label of the caller, for the operator */
  app_name?: string | null | undefined
  /** By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent */
  slippage?: number | string | null | undefined
  /** Deliver a little of the destination network's native token too, so that its receiver can pay fees */
  refuel?: boolean | null | undefined
  /** Make an address for this swap: a deposit there from any sender pays for it */
  use_deposit_address?: boolean | null | undefined
  /** Have the deposit go through the Depository contract */
  use_depository?: boolean | null | undefined
  /** Have the deposit signed by source_address and sent by the service */
  use_gasless?: boolean | null | undefined
  /** With a secret key: do not use the address of an earlier swap of the same route, recipient and refund address */
  use_new_deposit_address?: boolean | null | undefined
  /** The depositor sends the deposit themselves: use_gasless is not followed */
  force_user_execution?: boolean | null | undefined
  /** A name of /source_exchanges */
  source_exchange?: string | null | undefined
  /** A name of /source_exchanges */
  destination_exchange?: string | null | undefined
}

export interface CreateWebhookBody {
  /** An https address. The same one again gets a new secret */
  url: string
  /** Only these types of events; all without it */
  event_types?: SwapEventType[] | null | undefined
}

export interface CreatedSwap {
  quote: Quote
  refuel: Refuel | null
  reward: Reward | null
  swap: Swap
  deposit_actions: DepositAction[]
  /** Proves that quote and deposit actions are ours */
  signature: QuoteSignature
}

export interface CreatedWebhook {
  id: string
  url: string
  /** The types of events that are sent there; null: all, also future ones */
  event_types: SwapEventType[] | null
  created_date: string
  /** whsec_…, for verifying deliveries. Shown now and never again */
  secret: string
}

export interface DepositAction {
  /** transfer: submit it. manual_transfer: pay to the address. sign: sign typed_data, then POST …/authorize */
  type: 'transfer' | 'manual_transfer' | 'sign'
  /** Read it per swap: it may be another one for the next */
  to_address: string
  /** The value of the transaction itself: 0 if the amount is inside call_data, or is open */
  amount: number
  /** The same, exactly. Send this */
  amount_in_base_units: string
  /** Submit it as it is: it names the swap */
  call_data: string | null
  network: Network
  token: Token
  fee_token: Token
  /** Carry several out in ascending order */
  order: number
  /** Suggested; Depository only */
  gas_limit: string | null
  /** Depository only: id, receiver, or id, token, receiver, amount */
  encoded_args: string[]
  /** Gasless only: seconds since 1970 */
  valid_after: number | null
  /** Gasless only: hand the signature in before this */
  valid_before: number | null
  /** Gasless only */
  nonce: string | null
  /** Gasless only: EIP-712, to be signed as it is */
  typed_data: Record<string, unknown> | null
}

export interface EarnedRewards {
  user_reward: {
    /** Earned in this period, and not paid yet */
    period_pending_amount: number
    total_amount: number
    total_amount_in_usd: number
    /** Earned, and not paid yet */
    total_pending_amount: number
    /** On the leaderboard; 0 for who earned nothing */
    position: number
  }
  /** When this period is over; null after the campaign */
  next_airdrop_date: string | null
  address: string
  rewards: {
    swap_id: string
    date: string
    period: number
    amount: number
    amount_in_usd: number
  }[]
}

export interface Earner {
  position: number
  address: string
  swaps: number
  amount: number
  amount_in_usd: number
}

export interface Exchange {
  name: string
  display_name: string
  logo: string
  metadata: {
    oauth: {
      authorize_url: string
      connect_url: string
    } | null
    /** The same as oauth, under the name that clients read */
    o_auth: {
      authorize_url: string
      connect_url: string
    } | null
    listing_date: string
  }
}

export interface ExplorerRow {
  quote: Quote
  refuel: Refuel | null
  swap: Swap
}

export interface Failure {
  error: ApiError
}

export interface Funding {
  /** The sum of the deposits that are in a block, in the source token */
  received_amount: number
  /** The same, exactly */
  received_amount_in_base_units: string
  /** The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open */
  remaining_amount: number
  /** The same, exactly */
  remaining_amount_in_base_units: string
  /**
   * Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits,
   * else refunded
   */
  waits_until: string | null
}

export interface Leaderboard {
  leaderboard: Earner[]
  /** An extra reward for the first ones; 0 if there is none */
  leaderboard_budget: number
  campaign: Campaign
}

export interface Limits {
  min_amount: number
  min_amount_in_usd: number
  max_amount: number
  max_amount_in_usd: number
}

export interface ListedNetwork {
  name: string
  display_name: string
  logo: string
  chain_id: string | null
  node_url: string | null
  nodes: string[]
  type: NetworkType
  transaction_explorer_template: string
  account_explorer_template: string
  source_rank: number
  destination_rank: number
  /** The network's native token */
  token: Token
  metadata: NetworkMetadata
  deposit_methods: ('wallet' | 'deposit_address')[]
  tokens: Token[]
}

export interface ListedSwap {
  quote: Quote
  refuel: Refuel | null
  reward: Reward | null
  swap: Swap
}

export interface Network {
  name: string
  display_name: string
  logo: string
  chain_id: string | null
  node_url: string | null
  nodes: string[]
  type: NetworkType
  transaction_explorer_template: string
  account_explorer_template: string
  source_rank: number
  destination_rank: number
  /** The network's native token */
  token: Token
  metadata: NetworkMetadata
  deposit_methods: ('wallet' | 'deposit_address')[]
}

export interface NetworkMetadata {
  listing_date: string
  evm_oracle_contract: string | null
  evm_multicall_contract: string | null
  zks_paymaster_contract: string | null
  watchdog_contract: string | null
}

export interface NetworkStatus {
  network: string
  display_name: string
  logo: string
  /** behind: its newest block is old. down: none of its nodes answers. unknown: not checked yet */
  state: 'up' | 'behind' | 'down' | 'unknown'
  /** No new swaps are made from or to it */
  paused: boolean
  /** When its newest block was seen */
  last_block_at: string | null
  /** The share of checks at which it was up, over all days below */
  uptime: number | null
  days: {
    /** In UTC */
    day: string
    uptime: number
  }[]
}

export type NetworkType =
  | 'evm'
  | 'starknet'
  | 'solana'
  | 'cosmos'
  | 'starkex'
  | 'zksynclite'
  | 'ton'
  | 'paradex'
  | 'tron'
  | 'fuel'
  | 'bitcoin'
  | 'hyperliquid'

export interface NetworkVolumes {
  network: string
  totals: {
    /** Deposits on this network */
    inflow: {
      transfer_count: number
      amount_in_usd: number
    }
    /** Payouts on this network */
    outflow: {
      transfer_count: number
      amount_in_usd: number
    }
    /** inflow - outflow */
    net_amount_in_usd: number
  }
  timeline: {
    bucket_start: string
    inflow_transfer_count: number
    outflow_transfer_count: number
    inflow_amount_in_usd: number
    outflow_amount_in_usd: number
  }[]
  assets: {
    asset: string
    logo: string
    inflow: {
      transfer_count: number
      amount_in_usd: number
      token_amount: number
    }
    outflow: {
      transfer_count: number
      amount_in_usd: number
      token_amount: number
    }
  }[]
  /** Where what was delivered here came from */
  source_chains: {
    transfer_count: number
    amount_in_usd: number
    network: string
  }[]
  /** Where what came in from here went */
  destination_chains: {
    transfer_count: number
    amount_in_usd: number
    network: string
  }[]
}

export interface Owed {
  /** In the source token */
  amount: number
  amount_in_base_units: string
  /** Where it is sent automatically; null if an address is needed, or there are several */
  address: string | null
  /** It, or a part of it, goes nowhere before POST /swaps/{swapId}/refund_address says where */
  needs_address: boolean
  /** The same for people: how much it is, and what to do */
  message: string
}

export interface Quote {
  /** blockchain_fee + service_fee, in the source token */
  total_fee: number
  total_fee_in_usd: number
  source_network: Network
  source_token: Token
  destination_network: Network
  destination_token: Token
  /** 0 while the amount is open */
  requested_amount: number
  /** (requested_amount - total_fee - refuel_in_source) * rate, rounded down */
  receive_amount: number
  /** The discount on the fees, in the source token */
  fee_discount: number
  /** receive_amount * (1 - slippage): for less than this, the deposit goes back */
  min_receive_amount: number
  /** The fees of the networks, in the source token */
  blockchain_fee: number
  /** The fee of the service, in the source token */
  service_fee: number
  /** How long such swaps take, as hh:mm:ss */
  avg_completion_time: string
  /** The cost of the refuel, in the source token */
  refuel_in_source: number
  /** A fraction: 0.01 is one percent */
  slippage: number
  /** Destination tokens for one source token, before fees */
  rate: number
  /**
   * Until then a deposit in a block is paid as quoted, unless the price moved too far; null while the amount is open
   */
  expires_at: string | null
  path: {
    provider: string
    order: number
  }[]
  /** Warnings for the user, such as `HIGH_SLIPPAGE` above 5 percent. Be ready for other codes */
  warnings: {
    code: string
    message: string
  }[]
}

export interface QuoteSignature {
  /** Which key of /.well-known/causeway.json */
  key_id: string
  algorithm: 'ed25519'
  signed_at: string
  /** The signature of the canonical JSON of the statement */
  value: string
}

export interface QuoteTier {
  avg_completion_milliseconds: number
  min_amount: number
  min_amount_in_usd: number
  max_amount: number
  max_amount_in_usd: number
  /** The whole fee of min_amount, in the source token */
  fee_amount_for_min: number
  fee_amount_for_max: number
  /** Percent of the amount: 0.1 is a thousandth */
  total_percentage_fee: number
  total_fixed_fee_in_usd: number
  total_fixed_fee_in_source: number
  path: {
    /** Unlike that of any other step of this answer */
    id: number
    order: number
    provider: string
    provider_name: string
    source_network: Network
    source_token: Token
    destination_network: Network
    destination_token: Token
    /** Percent of the amount: 0.1 is a thousandth */
    service_fee_percentage: number
    /** The fixed part */
    service_fee_in_usd: number
    /** The fixed part */
    service_fee_in_source: number
    expense_in_usd: number
    expense_in_source: number
    /** The same as expense_in_usd, under the name that clients read */
    expense_fee_in_usd: number
    /** 0: networks charge for a transfer, whatever its amount */
    expense_fee_percentage: number
    /** Everything fixed */
    fee_in_source: number
    /** Everything fixed */
    fee_in_usd: number
    avg_completion_milliseconds: number
  }[]
}

export interface Quoted {
  quote: Quote
  refuel: Refuel | null
  reward: Reward | null
}

export interface Refuel {
  token: Token
  network: Network
  amount: number
  amount_in_usd: number
}

export interface RefundAddressBody {
  /** An address of the source network */
  refund_address: string
  /** Of the address that sent the deposit, over the text that names swap, network and address */
  signature?: string | null | undefined
}

export interface ReplayBody {
  /** A swap of the key's app */
  swap_id: string
}

export interface Replayed {
  /** How many are on their way again */
  deliveries: number
}

export interface Reward {
  token: Token
  network: Network
  amount: number
  amount_in_usd: number
  campaign_type: 'default' | 'for_nft_holders'
  nft_contract_address: string | null
}

export interface RewardPayout {
  /** initiated: sent and not confirmed yet */
  status: 'pending' | 'initiated' | 'completed'
  /** When it was confirmed; before that, when it was sent or ordered */
  date: string
  /** The last one that it pays */
  period: number
  amount: number
  transaction_id: string | null
}

export interface RouteHealth {
  source_network: string
  destination_network: string
  /** How many were looked at */
  swaps: number
  completed: number
  /** From the first sight of the deposit on; null if none completed */
  median_seconds: number | null
  p95_seconds: number | null
}

export interface RouteNetwork {
  name: string
  display_name: string
  logo: string
  chain_id: string | null
  node_url: string | null
  nodes: string[]
  type: NetworkType
  transaction_explorer_template: string
  account_explorer_template: string
  source_rank: number
  destination_rank: number
  /** The network's native token */
  token: Token
  metadata: NetworkMetadata
  deposit_methods: ('wallet' | 'deposit_address')[]
  tokens: RouteToken[]
}

export interface RouteToken {
  /** A label that may change: identify tokens by their contract or their group */
  symbol: string
  display_asset: string
  logo: string
  /** Null for the native token */
  contract: string | null
  decimals: number
  price_in_usd: number
  /** How many decimals amounts are shown with */
  precision: number
  listing_date: string
  source_rank: number
  destination_rank: number
  group: string | null
  supports_gasless_deposit: boolean
  /** active: a swap can be made now. inactive: the route cannot be served now. not_found: there is no route */
  status: 'active' | 'inactive' | 'not_found'
  /** The size of a refuel on the destination network; null if none is offered */
  refuel: Refuel | null
}

export interface ServiceStatus {
  /** The service's clock */
  now: string
  /** The last check, normally less than a minute ago */
  checked_at: string | null
  shown_days: number
  networks: NetworkStatus[]
}

export interface Site {
  name: string
  environment: string
  /** Local chains and worthless money; /sandbox answers */
  sandbox: boolean
  /** Who runs it, as it is shown on the pages */
  operator: string | null
  /** How to reach the operator */
  contact: string | null
  terms: string | null
  privacy: string | null
  imprint: string | null
  build: string
  /** The service's clock */
  now: string
  /** Scopes in which no new swaps are made, such as network:BASE_MAINNET */
  paused: string[]
}

export interface SpeedupBody {
  /** The hash of the deposit that was sent */
  transaction_id: string
}

export interface Swap {
  id: string
  created_date: string
  /** When it reached a terminal status */
  close_date: string | null
  source_network: Network
  source_token: Token
  source_exchange: Exchange | null
  destination_network: Network
  destination_token: Token
  destination_exchange: Exchange | null
  /** 0 while the amount is open */
  requested_amount: number
  /** The sum of the deposits that are in a block, in the source token */
  received_amount: number
  /** The same, exactly */
  received_amount_in_base_units: string
  /** The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open */
  remaining_amount: number
  /** The same, exactly */
  remaining_amount_in_base_units: string
  /**
   * Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits,
   * else refunded
   */
  waits_until: string | null
  destination_address: string
  source_address: string | null
  /**
   * Where the money is sent back to if it cannot be swapped: as the swap was made, or as given later for every deposit
   * of it
   */
  refund_address: string | null
  status: SwapStatus
  /** Why it did not complete, in snake_case; be ready for others */
  fail_reason: string | null
  /** Money that is held for the sender; null if there is none */
  owed: Owed | null
  use_deposit_address: boolean
  metadata: {
    /** What call_data names the swap by */
    sequence_number: number
    /** Yours; null to whom it is not shown */
    reference_id: string | null
    exchange_account: string | null
  }
  transactions: Transaction[]
}

export interface SwapDetails {
  quote: Quote
  refuel: Refuel | null
  reward: Reward | null
  swap: Swap
  deposit_actions: DepositAction[]
  /** Proves that quote and deposit actions are ours */
  signature?: QuoteSignature | undefined
}

export interface SwapEvent {
  type: SwapEventType
  /**
   * Grows when a field is removed or changes its meaning. New fields do not change it: ignore those that you do not
   * know
   */
  schema_version: number
  /** When the swap reached the status */
  timestamp: string
  data: SwapDetails
}

/** `swap.` and the status that the swap has now */
export type SwapEventType =
  | 'swap.user_transfer_pending'
  | 'swap.ls_transfer_pending'
  | 'swap.completed'
  | 'swap.failed'
  | 'swap.expired'
  | 'swap.refund_pending'
  | 'swap.pending_refund'
  | 'swap.refunded'

export interface SwapProgress {
  /** The service's clock */
  now: string
  quote_expires_at: string
  expires_at: string
  deposit_seen_at: string | null
  /** The sum of the deposits that are in a block, in the source token */
  received_amount: number
  /** The same, exactly */
  received_amount_in_base_units: string
  /** The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open */
  remaining_amount: number
  /** The same, exactly */
  remaining_amount_in_base_units: string
  /**
   * Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits,
   * else refunded
   */
  waits_until: string | null
  usual_seconds: number
  p95_seconds: number | null
  /** When a payout that cannot be started is refunded; null if none waits */
  gives_up_at: string | null
  /** Why a payout waits */
  held: 'review' | 'paused' | 'liquidity' | 'node' | 'deposit' | null
  history: {
    at: string
    type: string
    status: string
  }[]
  refund: {
    /** Where it is refunded to automatically */
    address: string | null
    /** Received, and neither delivered nor on its way back, in the source token */
    owed: number
    needs_address: boolean
    /** With {address} in place of the address that is given */
    text_to_sign: string
  }
}

export type SwapStatus =
  | 'user_transfer_pending'
  | 'ls_transfer_pending'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'refund_pending'
  | 'pending_refund'
  | 'refunded'

export interface TestEvent {
  type: 'webhook.test'
  /**
   * Grows when a field is removed or changes its meaning. New fields do not change it: ignore those that you do not
   * know
   */
  schema_version: number
  /** When the test was asked for */
  timestamp: string
  data: {
    /** The endpoint that is tested */
    webhook_id: string
  }
}

export interface TestedWebhook {
  /** The `webhook-id` that the test event will have */
  message_id: string
}

export interface Token {
  /** A label that may change: identify tokens by their contract or their group */
  symbol: string
  display_asset: string
  logo: string
  /** Null for the native token */
  contract: string | null
  decimals: number
  price_in_usd: number
  /** How many decimals amounts are shown with */
  precision: number
  listing_date: string
  source_rank: number
  destination_rank: number
  group: string | null
  supports_gasless_deposit: boolean
}

export interface Transaction {
  from: string | null
  to: string | null
  timestamp: string
  /** The same as timestamp, under the name that older clients read */
  created_date: string
  transaction_hash: string | null
  confirmations: number
  max_confirmations: number
  amount: number
  amount_in_usd: number | null
  /** The same as amount_in_usd */
  usd_value: number | null
  /** What one token was worth */
  usd_price: number | null
  /** input: the deposit. output: what is delivered. refuel: gas beside it. refund: what goes back */
  type: 'input' | 'output' | 'refuel' | 'refund'
  /** pending: not in a block, or not sent. initiated: sent, not deep enough. completed: deep enough */
  status: 'completed' | 'initiated' | 'pending' | 'failed'
  token: Token
  network: Network
  fee_amount: number | null
  fee_token: Token
}

export interface TransactionStatus {
  status: 'completed' | 'failed' | 'pending'
  network: string
  transaction_id: string
  is_found: boolean
  is_completed: boolean
  confirmations: number
  max_confirmations: number
}

export interface UnmatchedDeposit {
  network: string
  transaction_hash: string
  seen_at: string
  /** waiting: for a person, who gives it to a swap or sends it back. kept: the operator has put it aside */
  state: 'confirming' | 'waiting' | 'returned' | 'kept'
}

export interface UpdateWebhookBody {
  /** From now on only these types of events; null: all */
  event_types: SwapEventType[] | null
}

export interface WebhookEndpoint {
  id: string
  url: string
  /** The types of events that are sent there; null: all, also future ones */
  event_types: SwapEventType[] | null
  created_date: string
}

export interface WellKnown {
  service: 'causeway'
  environment: 'mainnet' | 'testnet'
  api: string
  quote_signing_keys: {
    key_id: string
    algorithm: 'ed25519'
    public_key: string
  }[]
}

export interface Withdrawal {
  network: Network
  token: Token
  /** The fixed cost of a swap into the destination, without the percentage; 0 if none was named */
  fee: {
    total_fee: number
    total_fee_in_usd: number
  }
}
