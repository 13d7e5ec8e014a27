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
  /** The signature of typed_data, in hex */
  signature: string
  /** The signer: the swap's source_address */
  signer_address: string
}

export interface Balance {
  amount: number
  amount_in_base_units: string
  /** The owner's balance of the token that pays network fees */
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
  /** The share of the service fee that is paid as a reward, in percent; 50 is half */
  percentage: number
  total_budget: number
  /** The amount earned so far */
  distributed_amount: number
  /** The smallest payout; a smaller amount waits for the next period */
  min_payout_amount: number
  max_payout_amount: number
  start_date: string
  end_date: string
  /** The length of a period in days. Rewards of a period are paid after it */
  reward_limit_period: number
}

export interface CheckedAddress {
  valid: boolean
  /** The address in the canonical form of its network */
  address: string | null
  /**
   * True if the service does not pay to this address: the money would be lost, the address is ours, or it is screened
   */
  blocked: boolean
  /** Whether the address is a contract; null if unknown */
  contract: boolean | null
  /** Whether the account is activated; null if unknown, or if this network has no activation */
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
  /** The recipient on the destination network */
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
  /** Your own reference for the swap. Only your secret key can read it and search by it */
  reference_id?: string | null | undefined
  /** A label chosen by the caller, for the operator */
  app_name?: string | null | undefined
  /** By how much less may be delivered than quoted, as a fraction, 0.5 at most: 0.01, the default, is one percent */
  slippage?: number | string | null | undefined
  /** Deliver a little of the destination network's native token too, so that its receiver can pay fees */
  refuel?: boolean | null | undefined
  /** Creates a deposit address for this swap. A deposit there from any sender pays for the swap */
  use_deposit_address?: boolean | null | undefined
  /** Deposit through the Depository contract */
  use_depository?: boolean | null | undefined
  /** Gasless deposit: source_address signs it and the service sends it */
  use_gasless?: boolean | null | undefined
  /** With a secret key: do not use the address of an earlier swap of the same route, recipient and refund address */
  use_new_deposit_address?: boolean | null | undefined
  /**
   * The depositor sends the deposit: use_gasless is ignored. If the route begins with an exchange on the source network
   * and its family can, the depositor makes that exchange, too: deposit_actions are the approval and the call, `legs`
   * says made_by depositor, and refunds are in the token that the exchange gives. Otherwise, and with
   * use_deposit_address or use_depository, the service makes it
   */
  force_user_execution?: boolean | null | undefined
  /** The name of an exchange in /source_exchanges */
  source_exchange?: string | null | undefined
  /** The name of an exchange in /source_exchanges */
  destination_exchange?: string | null | undefined
}

export interface CreateWebhookBody {
  /** An https URL. Adding the same URL again creates a new secret */
  url: string
  /** Only these types of events; all types if absent */
  event_types?: SwapEventType[] | null | undefined
}

export interface CreatedSwap {
  quote: Quote
  refuel: Refuel | null
  reward: Reward | null
  swap: Swap
  deposit_actions: DepositAction[]
  /** Proves that the service made the quote and the deposit actions */
  signature: QuoteSignature
}

export interface CreatedWebhook {
  id: string
  url: string
  /** The types of events that the endpoint receives; null for all types, including future ones */
  event_types: SwapEventType[] | null
  created_date: string
  /** The secret for verifying deliveries, whsec_…. It is shown only once */
  secret: string
}

export interface DepositAction {
  /**
   * transfer: submit the transaction. manual_transfer: pay to the address. sign: sign typed_data, then POST …/authorize
   */
  type: 'transfer' | 'manual_transfer' | 'sign'
  /** Read it for every swap: it may differ between swaps */
  to_address: string
  /** The value of the transaction itself: 0 if the amount is inside call_data, or is open */
  amount: number
  /** The same, exactly. Send this */
  amount_in_base_units: string
  /** The call data, to be submitted unchanged: it names the swap */
  call_data: string | null
  network: Network
  token: Token
  fee_token: Token
  /** If there are several actions, carry them out in ascending order */
  order: number
  /** The suggested gas limit; Depository only */
  gas_limit: string | null
  /**
   * Depository: the arguments id and receiver, or id, token, receiver and amount. Cosmos, if source_address was given:
   * denomination, account number, sequence, gas, fee, denomination of the fee, and key type
   */
  encoded_args: string[]
  /** Gasless only: Unix seconds */
  valid_after: number | null
  /** Gasless only: submit the signature before this time */
  valid_before: number | null
  /** Gasless only */
  nonce: string | null
  /** Gasless only: EIP-712 typed data, to be signed unchanged */
  typed_data: Record<string, unknown> | null
}

export interface EarnedRewards {
  user_reward: {
    /** The amount earned in this period and not paid yet */
    period_pending_amount: number
    total_amount: number
    total_amount_in_usd: number
    /** The amount earned and not paid yet */
    total_pending_amount: number
    /** The rank on the leaderboard; 0 if nothing was earned */
    position: number
  }
  /** When this period ends; null after the end of the campaign */
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
  /** An extra reward for the first earners; 0 if there is none */
  leaderboard_budget: number
  campaign: Campaign
}

export interface Leg {
  /**
   * sale: the deposited token is sold on the source network. purchase: the destination token is bought for the
   * recipient
   */
  type: 'sale' | 'purchase'
  /** depositor: its own transaction makes the exchange, by force_user_execution */
  made_by: 'service' | 'depositor'
  /** The exchange of the quote's path, or the aggregator that executes it */
  provider: string
  network: Network
  sold_token: Token
  sold_amount: number
  bought_token: Token
  /** The amount that the exchange gave; null until it is confirmed */
  bought_amount: number | null
  /** With less the exchange reverts */
  min_bought_amount: number
  /** As of a transaction */
  status: 'completed' | 'initiated' | 'pending'
  transaction_hash: string | null
  timestamp: string
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
  /** What people should know: why the network is closed, or that it is no public network. Absent if nothing */
  notice?: string | undefined
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
  /** What people should know: why the network is closed, or that it is no public network. Absent if nothing */
  notice?: string | undefined
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
  /** True if no new swaps from or to the network are accepted */
  paused: boolean
  /** As in the list of networks, such as that it is no public network */
  notice?: string | undefined
  /** When its newest block was seen */
  last_block_at: string | null
  /** The share of checks at which it was up, over all days below */
  uptime: number | null
  days: {
    /** The day in UTC */
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
  /** The networks from which this outflow came */
  source_chains: {
    transfer_count: number
    amount_in_usd: number
    network: string
  }[]
  /** The networks to which this inflow went */
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
  /** The address to which it is refunded automatically; null if an address is needed, or there are several */
  address: string | null
  /** True if all or a part of it waits until POST /swaps/{swapId}/refund_address sets an address */
  needs_address: boolean
  /** The owed amount and the next step, as text for the user */
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
  /** 0 if the amount is open */
  requested_amount: number
  /** (requested_amount - total_fee - refuel_in_source) * rate, rounded down */
  receive_amount: number
  /** The discount on the fees, in the source token */
  fee_discount: number
  /** receive_amount * (1 - slippage): if the swap would deliver less, the deposit is refunded */
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
  /**
   * How much less the exchanges on the path give than at their present prices, because of the amount. A fraction; null
   * without an exchange
   */
  price_impact: number | null
  /** Warnings for the user, such as `HIGH_SLIPPAGE` above 5 percent. More codes may be added */
  warnings: {
    code: string
    message: string
  }[]
}

export interface QuoteSignature {
  /** The id of the key in /.well-known/causeway.json */
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
  /** A percentage of the amount: 0.1 is a thousandth */
  total_percentage_fee: number
  total_fixed_fee_in_usd: number
  total_fixed_fee_in_source: number
  path: {
    /** Unique among the steps of this response */
    id: number
    order: number
    provider: string
    provider_name: string
    source_network: Network
    source_token: Token
    destination_network: Network
    destination_token: Token
    /** A percentage of the amount: 0.1 is a thousandth */
    service_fee_percentage: number
    /** The fixed part of the fee */
    service_fee_in_usd: number
    /** The fixed part of the fee */
    service_fee_in_source: number
    expense_in_usd: number
    expense_in_source: number
    /** The same as expense_in_usd, under the name that clients read */
    expense_fee_in_usd: number
    /** 0: networks charge for a transfer, whatever its amount */
    expense_fee_percentage: number
    /** All fixed fees together */
    fee_in_source: number
    /** All fixed fees together */
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
  /** A signature by the address that sent the deposit, over the text that names swap, network and refund address */
  signature?: string | null | undefined
}

export interface ReplayBody {
  /** A swap of the key's app */
  swap_id: string
}

export interface Replayed {
  /** The number of events that are sent again */
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
  /** The last period that the payout covers */
  period: number
  amount: number
  transaction_id: string | null
}

export interface RouteHealth {
  source_network: string
  destination_network: string
  /** The number of swaps that were considered */
  swaps: number
  completed: number
  /** Measured from the first sighting of the deposit; null if no swap completed */
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
  /** What people should know: why the network is closed, or that it is no public network. Absent if nothing */
  notice?: string | undefined
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
  /** The number of decimals with which amounts are shown */
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
  /** True for a sandbox: local chains, worthless money, and the calls under /sandbox */
  sandbox: boolean
  /** The name of the operator, as shown on the pages */
  operator: string | null
  /** How to reach the operator */
  contact: string | null
  terms: string | null
  privacy: string | null
  imprint: string | null
  build: string
  /** The service's clock */
  now: string
  /** Scopes in which no new swaps are accepted, such as network:BASE_MAINNET */
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
  /** 0 if the amount is open */
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
  /** Why the swap did not complete, in snake_case. More reasons may be added */
  fail_reason: string | null
  /** Money that is held for the sender; null if there is none */
  owed: Owed | null
  use_deposit_address: boolean
  metadata: {
    /** The number by which call_data names the swap */
    sequence_number: number
    /** Your own reference; null for callers who may not read it */
    reference_id: string | null
    exchange_account: string | null
  }
  transactions: Transaction[]
  /** The exchanges that the swap goes over; empty on most routes. The transaction of a purchase is also the output */
  legs: Leg[]
}

export interface SwapDetails {
  quote: Quote
  refuel: Refuel | null
  reward: Reward | null
  swap: Swap
  deposit_actions: DepositAction[]
  /** Proves that the service made the quote and the deposit actions */
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
  /** When the swap is refunded if its payout still cannot be started; null if no payout waits */
  gives_up_at: string | null
  /** Why a payout waits */
  held: 'review' | 'paused' | 'liquidity' | 'node' | 'deposit' | null
  history: {
    at: string
    type: string
    status: string
  }[]
  refund: {
    /** The address to which it is refunded automatically */
    address: string | null
    /** The amount that was received and is neither delivered nor being refunded, in the source token */
    owed: number
    needs_address: boolean
    /** A URL with {address} in place of the address */
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
  /** When the test was requested */
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
  /** The number of decimals with which amounts are shown */
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
  /** The price of one token at the swap's creation, in dollars */
  usd_price: number | null
  /** input: the deposit. output: the delivered amount. refuel: gas delivered with it. refund: a refund */
  type: 'input' | 'output' | 'refuel' | 'refund'
  /**
   * pending: not in a block, or not sent. initiated: in a block or sent, with too few confirmations. completed:
   * confirmed
   */
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
  /** waiting: an operator will assign it to a swap or refund it. kept: the operator has set it aside */
  state: 'confirming' | 'waiting' | 'returned' | 'kept'
}

export interface UpdateWebhookBody {
  /** The types of events to send from now on; null for all types */
  event_types: SwapEventType[] | null
}

export interface WebhookEndpoint {
  id: string
  url: string
  /** The types of events that the endpoint receives; null for all types, including future ones */
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
