/**
 * The response fields that published clients read, with the types that they expect. Additional fields are allowed:
 * clients ignore them. Most fields are read without a check for their presence.
 */
import { z } from 'zod'

/** Passed to `new URL()` and to `.replace('{0}', …)`. */
const Template = z.string().refine((text) => URL.canParse(text) && text.includes('{0}'))
/** Passed to `new Date()`; with a time zone offset. */
const Moment = z.iso.datetime({ offset: true })
const Amount = z.number().nonnegative()
/** Split at `:`, and everything after a `.` is dropped; a day part would break it. */
const TimeSpan = z.string().regex(/^\d{2,}:\d\d:\d\d(\.\d+)?$/)

const Token = z.looseObject({
  symbol: z.string().min(1),
  display_asset: z.string(),
  logo: z.url(),
  contract: z.string().nullable(),
  decimals: z.int(),
  price_in_usd: Amount,
  precision: z.int(),
  listing_date: Moment,
  source_rank: z.number(),
  destination_rank: z.number(),
  group: z.string().nullable(),
})

const Network = z.looseObject({
  name: z.string(),
  display_name: z.string(),
  logo: z.url(),
  chain_id: z.string().nullable(),
  node_url: z.string().nullable(),
  nodes: z.array(z.string()),
  type: z.string(),
  transaction_explorer_template: Template,
  account_explorer_template: Template,
  source_rank: z.number(),
  destination_rank: z.number(),
  token: Token,
  metadata: z.looseObject({ listing_date: Moment }),
})

export const ListedNetwork = Network.extend({ tokens: z.array(Token).min(1) })

export const RouteNetwork = Network.extend({
  deposit_methods: z.array(z.enum(['wallet', 'deposit_address'])),
  tokens: z
    .array(
      Token.extend({
        status: z.enum(['active', 'inactive', 'not_found']),
        supports_gasless_deposit: z.boolean(),
        refuel: z
          .looseObject({ token: Token, network: Network, amount: Amount.positive(), amount_in_usd: Amount })
          .nullable(),
      }),
    )
    .min(1),
})

export const Limits = z.looseObject({
  min_amount: Amount,
  min_amount_in_usd: Amount,
  max_amount: Amount,
  max_amount_in_usd: Amount,
})

const Quote = z.looseObject({
  source_network: Network,
  source_token: Token,
  destination_network: Network,
  destination_token: Token,
  requested_amount: Amount,
  receive_amount: Amount,
  min_receive_amount: Amount,
  fee_discount: Amount,
  blockchain_fee: Amount,
  service_fee: Amount,
  avg_completion_time: TimeSpan,
  refuel_in_source: Amount,
  slippage: Amount,
  rate: Amount,
  total_fee: Amount,
  total_fee_in_usd: Amount,
  path: z.array(z.looseObject({ provider: z.string(), order: z.int() })).min(1),
})
const Reward = z.looseObject({ token: Token, network: Network, amount: Amount, campaign_type: z.string() })
const Refuel = z.looseObject({ token: Token, network: Network, amount: Amount, amount_in_usd: Amount })
export const Quoted = z.looseObject({ quote: Quote, refuel: Refuel.nullable(), reward: Reward.nullable() })

export const Tier = z.looseObject({
  avg_completion_milliseconds: Amount,
  min_amount: Amount,
  min_amount_in_usd: Amount,
  max_amount: Amount,
  max_amount_in_usd: Amount,
  fee_amount_for_min: Amount,
  fee_amount_for_max: Amount,
  total_percentage_fee: Amount,
  total_fixed_fee_in_usd: Amount,
  total_fixed_fee_in_source: Amount,
  path: z
    .array(
      z.looseObject({
        id: z.int(),
        order: z.int(),
        provider_name: z.string(),
        service_fee_in_source: Amount,
        service_fee_in_usd: Amount,
        service_fee_percentage: Amount,
        expense_in_source: Amount,
        expense_fee_in_usd: Amount,
        expense_fee_percentage: Amount,
        fee_in_source: Amount,
        fee_in_usd: Amount,
        avg_completion_milliseconds: Amount,
        source_network: Network,
        source_token: Token,
        destination_network: Network,
        destination_token: Token,
      }),
    )
    .min(1),
})

const Transaction = z.looseObject({
  type: z.enum(['input', 'output', 'refuel', 'refund']),
  from: z.string().nullable(),
  to: z.string().nullable(),
  transaction_hash: z.string().nullable(),
  amount: Amount,
  confirmations: z.int(),
  max_confirmations: z.int(),
  status: z.enum(['completed', 'initiated', 'pending', 'failed']),
  timestamp: Moment,
  created_date: Moment,
  usd_value: Amount.nullable(),
  usd_price: Amount.nullable(),
  token: Token,
  network: z.looseObject({ transaction_explorer_template: Template }),
})

const Swap = z.looseObject({
  // One page accepts only UUIDs of versions 1 to 5.
  id: z.uuidv4(),
  created_date: Moment,
  source_network: Network,
  source_token: Token,
  destination_network: Network,
  destination_token: Token,
  requested_amount: Amount,
  destination_address: z.string(),
  source_address: z.string().nullable(),
  status: z.enum([
    'user_transfer_pending',
    'ls_transfer_pending',
    'completed',
    'failed',
    'expired',
    'pending_refund',
    'refund_pending',
    'refunded',
  ]),
  fail_reason: z.string().nullable(),
  use_deposit_address: z.boolean(),
  metadata: z.looseObject({ sequence_number: z.int().positive(), reference_id: z.string().nullable() }),
  transactions: z.array(Transaction),
})

export const DepositAction = z.looseObject({
  type: z.enum(['transfer', 'manual_transfer', 'sign']),
  to_address: z.string().min(1),
  amount: Amount,
  amount_in_base_units: z.string().regex(/^\d+$/),
  call_data: z.string().nullable(),
  network: Network,
  token: Token,
  fee_token: Token,
  order: z.number(),
  gas_limit: z.string().regex(/^\d+$/).nullable(),
  encoded_args: z.array(z.string()),
})

export const Row = Quoted.extend({ swap: Swap })
export const Details = Row.extend({ deposit_actions: z.array(DepositAction) })
export const ExplorerRow = z.looseObject({ swap: Swap, quote: Quote, refuel: Refuel.nullable() })

export const Authorization = z.looseObject({
  status: z.enum(['initiated', 'published', 'completed', 'expired', 'insufficient', 'rejected']),
  transaction: z
    .looseObject({
      transaction_hash: z.string(),
      status: z.string(),
      confirmations: z.int(),
      max_confirmations: z.int(),
    })
    .nullable(),
})

export const TransactionStatus = z.looseObject({
  status: z.enum(['completed', 'failed', 'pending']),
  network: z.unknown(),
  transaction_id: z.string(),
  is_found: z.boolean(),
  is_completed: z.boolean(),
  confirmations: z.int(),
  max_confirmations: z.int(),
})

const Flow = z.looseObject({ transfer_count: z.int(), amount_in_usd: Amount })
const AssetFlow = Flow.extend({ token_amount: Amount })
const Chain = z.looseObject({ network: z.unknown(), transfer_count: z.int(), amount_in_usd: Amount })
export const Analytics = z.looseObject({
  generated_at: Moment,
  range: z.looseObject({ from: Moment, to: Moment, bucket_size: z.enum(['hour', 'day', 'week']) }),
  available_networks: z.array(z.looseObject({ name: z.string(), display_name: z.string(), logo: z.url() })),
  networks: z.array(
    z.looseObject({
      network: z.unknown(),
      totals: z.looseObject({ inflow: Flow, outflow: Flow, net_amount_in_usd: z.number() }),
      timeline: z.array(
        z.looseObject({
          bucket_start: Moment,
          inflow_transfer_count: z.int(),
          outflow_transfer_count: z.int(),
          inflow_amount_in_usd: Amount,
          outflow_amount_in_usd: Amount,
        }),
      ),
      assets: z.array(z.looseObject({ asset: z.string(), logo: z.url(), inflow: AssetFlow, outflow: AssetFlow })),
      source_chains: z.array(Chain),
      destination_chains: z.array(Chain),
    }),
  ),
})

export const Campaign = z.looseObject({
  id: z.number(),
  name: z.string(),
  display_name: z.string(),
  description: z.string().nullable(),
  logo_url: z.string().nullable(),
  token: Token,
  network: Network,
  percentage: z.number(),
  start_date: Moment,
  end_date: Moment,
  min_payout_amount: Amount,
  max_payout_amount: Amount,
  total_budget: Amount,
  distributed_amount: Amount,
  reward_limit_period: z.number(),
})
export const Leaderboard = z.looseObject({
  leaderboard: z.array(z.looseObject({ address: z.string(), amount: Amount, position: z.int() })),
  leaderboard_budget: Amount,
})
export const Rewards = z.looseObject({
  user_reward: z.looseObject({
    period_pending_amount: Amount,
    total_amount: Amount,
    total_amount_in_usd: Amount,
    total_pending_amount: Amount,
    position: z.int().nullable(),
  }),
  next_airdrop_date: Moment.nullable(),
})
export const RewardPayout = z.looseObject({ date: Moment, transaction_id: z.string().nullable(), amount: Amount })

export const SourceExchange = z.looseObject({
  name: z.string(),
  display_name: z.string(),
  logo: z.url(),
  metadata: z.looseObject({
    o_auth: z.looseObject({ connect_url: z.string(), authorize_url: z.string() }).nullable(),
    oauth: z.looseObject({ connect_url: z.string(), authorize_url: z.string() }).nullable(),
  }),
})
export const Withdrawal = z.looseObject({
  network: Network,
  token: Token,
  fee: z.looseObject({ total_fee: Amount, total_fee_in_usd: Amount }),
})

export const App = z.looseObject({
  id: z.string(),
  client_id: z.string(),
  display_name: z.string(),
  logo: z.string(),
  is_wallet: z.boolean(),
})
