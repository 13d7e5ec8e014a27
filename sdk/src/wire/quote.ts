/** What a swap costs and delivers, and the calls that ask for it without making one. */
import { CAMPAIGN_TYPES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { Network, Token } from './network.ts'
import { AddressText, DateTime, Decimal, Flag, Human, NetworkName, TokenName } from './values.ts'

/** Amounts are 0 while a swap's amount is open: clients read them as numbers without asking. */
export const Quote = z.strictObject({
  total_fee: Human.describe('blockchain_fee + service_fee, in the source token'),
  total_fee_in_usd: Human,
  source_network: Network,
  source_token: Token,
  destination_network: Network,
  destination_token: Token,
  requested_amount: Human.describe('0 while the amount is open'),
  receive_amount: Human.describe('(requested_amount - total_fee - refuel_in_source) * rate, rounded down'),
  fee_discount: Human,
  min_receive_amount: Human,
  blockchain_fee: Human,
  service_fee: Human,
  avg_completion_time: z.string().regex(/^\d{2}:\d{2}:\d{2}$/),
  refuel_in_source: Human,
  slippage: z.number(),
  rate: z.number(),
  expires_at: DateTime.nullable().describe(
    'Until then a deposit in a block is paid as quoted, unless the price moved too far; null while the amount is open',
  ),
  path: z.array(z.strictObject({ provider: z.string(), order: z.int() })),
})
export type Quote = z.infer<typeof Quote>

export const Refuel = z.strictObject({ token: Token, network: Network, amount: Human, amount_in_usd: Human })
export type Refuel = z.infer<typeof Refuel>

export const Reward = z.strictObject({
  token: Token,
  network: Network,
  amount: Human,
  amount_in_usd: Human,
  campaign_type: z.enum(CAMPAIGN_TYPES),
  nft_contract_address: z.string().nullable(),
})
export type Reward = z.infer<typeof Reward>

export const Quoted = z.strictObject({ quote: Quote, refuel: Refuel.nullable(), reward: Reward.nullable() })
export type Quoted = z.infer<typeof Quoted>

export const Limits = z.strictObject({
  min_amount: Human,
  min_amount_in_usd: Human,
  max_amount: Human,
  max_amount_in_usd: Human,
})
export type Limits = z.infer<typeof Limits>

/** GET /limits */
export const LimitsQuery = z.object({
  source_network: NetworkName,
  source_token: TokenName,
  destination_network: NetworkName,
  destination_token: TokenName,
  amount: Decimal.optional(),
  slippage: Decimal.optional(),
  refuel: Flag,
  use_deposit_address: Flag,
  use_depository: Flag,
  use_gasless: Flag,
  source_address: AddressText.optional(),
  destination_address: AddressText.optional(),
})
export type LimitsQuery = z.infer<typeof LimitsQuery>

/** GET /quote */
export const QuoteQuery = LimitsQuery.extend({ amount: Decimal })
export type QuoteQuery = z.infer<typeof QuoteQuery>
