/** Networks and tokens, and the call that lists them. */
import { NETWORK_TYPES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { DateTime, Human, listOf, NetworkName, TokenName } from './values.ts'

export const NetworkType = z.enum(NETWORK_TYPES)
export type NetworkType = z.infer<typeof NetworkType>

export const Token = z.strictObject({
  symbol: z.string().describe('A label that may change: identify tokens by their contract or their group'),
  display_asset: z.string(),
  logo: z.string(),
  contract: z.string().nullable().describe('Null for the native token'),
  decimals: z.int(),
  price_in_usd: z.number(),
  precision: z.number().describe('The number of decimals with which amounts are shown'),
  listing_date: DateTime,
  source_rank: z.int(),
  destination_rank: z.int(),
  group: z.string().nullable(),
  supports_gasless_deposit: z.boolean(),
})
export type Token = z.infer<typeof Token>

export const NetworkMetadata = z.strictObject({
  listing_date: DateTime,
  evm_oracle_contract: z.string().nullable(),
  evm_multicall_contract: z.string().nullable(),
  zks_paymaster_contract: z.string().nullable(),
  watchdog_contract: z.string().nullable(),
})

export const Network = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  logo: z.string(),
  chain_id: z.string().nullable(),
  node_url: z.string().nullable(),
  nodes: z.array(z.string()),
  type: NetworkType,
  transaction_explorer_template: z.string(),
  account_explorer_template: z.string(),
  source_rank: z.int(),
  destination_rank: z.int(),
  token: Token.describe("The network's native token"),
  metadata: NetworkMetadata,
  deposit_methods: z.array(z.enum(['wallet', 'deposit_address'])),
  notice: z
    .string()
    .optional()
    .describe('What people should know: why the network is closed, or that it is no public network. Absent if nothing'),
})
export type Network = z.infer<typeof Network>

/** A network in a list, with its tokens. */
export const ListedNetwork = Network.extend({ tokens: z.array(Token) })
export type ListedNetwork = z.infer<typeof ListedNetwork>

const OAuth = z.strictObject({ authorize_url: z.string(), connect_url: z.string() })

export const Exchange = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  logo: z.string(),
  metadata: z.strictObject({
    oauth: OAuth.nullable(),
    o_auth: OAuth.nullable().describe('The same as oauth, under the name that clients read'),
    listing_date: DateTime,
  }),
})
export type Exchange = z.infer<typeof Exchange>

const ExchangeName = z.string().trim().min(1).max(64)

/** The filter of every list of networks. */
export const NetworkTypes = listOf(z.string().toLowerCase().pipe(NetworkType))
  .optional()
  .describe(`Any of ${NetworkType.options.join(', ')}: with commas, repeated, or both`)

/** GET /networks */
export const NetworksQuery = z.object({ network_types: NetworkTypes })
export type NetworksQuery = z.infer<typeof NetworksQuery>

/** GET /exchange_withdrawal_networks */
export const WithdrawalNetworksQuery = z.object({
  exchange: ExchangeName.optional().describe('Only networks and tokens that this exchange pays out to'),
  source_exchange: ExchangeName.optional().describe('The same'),
  destination_network: NetworkName.optional().describe('Only tokens that can be swapped into this one now'),
  destination_token: TokenName.optional(),
})

/** One token on one network that an exchange pays out. */
export const Withdrawal = z.strictObject({
  network: Network,
  token: Token,
  fee: z
    .strictObject({ total_fee: Human, total_fee_in_usd: Human })
    .describe('The fixed cost of a swap into the destination, without the percentage; 0 if none was named'),
})
export type Withdrawal = z.infer<typeof Withdrawal>
