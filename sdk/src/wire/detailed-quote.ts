/** GET /detailed_quote: the cost of a route by tiers of the amount. */
import { z } from 'zod'
import { Network, Token } from './network.ts'
import { Human } from './values.ts'

/** Fees of one step. `service_fee_*` is our charge, `expense_*` is what the networks charge us. */
const DetailedStep = z.strictObject({
  id: z.int().describe('Unique among the steps of this response'),
  order: z.int(),
  provider: z.string(),
  provider_name: z.string(),
  source_network: Network,
  source_token: Token,
  destination_network: Network,
  destination_token: Token,
  service_fee_percentage: z.number().describe('A percentage of the amount: 0.1 is a thousandth'),
  service_fee_in_usd: Human.describe('The fixed part of the fee'),
  service_fee_in_source: Human.describe('The fixed part of the fee'),
  expense_in_usd: Human,
  expense_in_source: Human,
  expense_fee_in_usd: Human.describe('The same as expense_in_usd, under the name that clients read'),
  expense_fee_percentage: Human.describe('0: networks charge for a transfer, whatever its amount'),
  fee_in_source: Human.describe('All fixed fees together'),
  fee_in_usd: Human.describe('All fixed fees together'),
  avg_completion_milliseconds: z.int(),
})

export const QuoteTier = z.strictObject({
  avg_completion_milliseconds: z.int(),
  min_amount: Human,
  min_amount_in_usd: Human,
  max_amount: Human,
  max_amount_in_usd: Human,
  fee_amount_for_min: Human.describe('The whole fee of min_amount, in the source token'),
  fee_amount_for_max: Human,
  total_percentage_fee: z.number().describe('A percentage of the amount: 0.1 is a thousandth'),
  total_fixed_fee_in_usd: Human,
  total_fixed_fee_in_source: Human,
  path: z.array(DetailedStep),
})
export type QuoteTier = z.infer<typeof QuoteTier>
