/** The price of a swap, and the calls that quote without creating one. */
import { CAMPAIGN_TYPES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { Network, Token } from './network.ts'
import { AddressText, DateTime, Decimal, Flag, Human, NetworkName, REFUEL, SLIPPAGE, TokenName } from './values.ts'

/** Amounts are 0 for a swap with an open amount: clients read them as numbers without checking. */
export const Quote = z.strictObject({
  total_fee: Human.describe('blockchain_fee + service_fee, in the source token'),
  total_fee_in_usd: Human,
  source_network: Network,
  source_token: Token,
  destination_network: Network,
  destination_token: Token,
  requested_amount: Human.describe('0 if the amount is open'),
  receive_amount: Human.describe('(requested_amount - total_fee - refuel_in_source) * rate, rounded down'),
  fee_discount: Human.describe('The discount on the fees, in the source token'),
  min_receive_amount: Human.describe(
    'receive_amount * (1 - slippage): if the swap would deliver less, the deposit is refunded',
  ),
  blockchain_fee: Human.describe('The fees of the networks, in the source token'),
  service_fee: Human.describe('The fee of the service, in the source token'),
  avg_completion_time: z
    .string()
    .regex(/^\d{2}:\d{2}:\d{2}$/)
    .describe('How long such swaps take, as hh:mm:ss'),
  refuel_in_source: Human.describe('The cost of the refuel, in the source token'),
  slippage: z.number().describe('A fraction: 0.01 is one percent'),
  rate: z.number().describe('Destination tokens for one source token, before fees'),
  expires_at: DateTime.nullable().describe(
    'Until then a deposit in a block is paid as quoted, unless the price moved too far; null while the amount is open',
  ),
  path: z.array(z.strictObject({ provider: z.string(), order: z.int() })),
  price_impact: z
    .number()
    .nullable()
    .describe(
      'How much less the exchanges on the path give than at their present prices, because of the amount. A fraction; null without an exchange',
    ),
  warnings: z
    .array(z.strictObject({ code: z.string(), message: z.string() }))
    .describe('Warnings for the user, such as `HIGH_SLIPPAGE` above 5 percent. More codes may be added'),
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
  amount: Decimal.optional().describe('In whole source tokens. Optional here'),
  slippage: Decimal.optional().describe(SLIPPAGE),
  refuel: Flag.describe(REFUEL),
  use_deposit_address: Flag.describe('The deposit will be sent to a deposit address, which adds the cost of a sweep'),
  use_depository: Flag.describe('The deposit will go through the Depository contract'),
  use_gasless: Flag.describe('The deposit will be gasless: the service sends it, which adds the gas'),
  source_address: AddressText.optional().describe('The depositor. It does not change a quote'),
  destination_address: AddressText.optional().describe('The recipient: rewards may depend on it'),
})
export type LimitsQuery = z.infer<typeof LimitsQuery>

/** GET /quote */
export const QuoteQuery = LimitsQuery.extend({ amount: Decimal.describe('In whole source tokens') })
export type QuoteQuery = z.infer<typeof QuoteQuery>
