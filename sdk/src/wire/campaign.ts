/** Reward campaigns: rewards, earners, and the calls that list them. */
import { CAMPAIGN_TYPES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { Network, Token } from './network.ts'
import { AddressText, DateTime, Human } from './values.ts'

export const Campaign = z.strictObject({
  id: z.int().describe('The id that other calls use; the name works too'),
  name: z.string(),
  display_name: z.string(),
  description: z.string().nullable(),
  logo_url: z.string().nullable(),
  type: z.enum(CAMPAIGN_TYPES),
  status: z.enum(['upcoming', 'active', 'ended']),
  nft_contract_address: z.string().nullable(),
  token: Token,
  network: Network,
  percentage: z.number().describe('The share of the service fee that is paid as a reward, in percent; 50 is half'),
  total_budget: Human,
  distributed_amount: Human.describe('The amount earned so far'),
  min_payout_amount: Human.describe('The smallest payout; a smaller amount waits for the next period'),
  max_payout_amount: Human,
  start_date: DateTime,
  end_date: DateTime,
  reward_limit_period: z.int().describe('The length of a period in days. Rewards of a period are paid after it'),
})
export type Campaign = z.infer<typeof Campaign>

export const Earner = z.strictObject({
  position: z.int(),
  address: z.string(),
  swaps: z.int(),
  amount: Human,
  amount_in_usd: Human,
})

export const Leaderboard = z.strictObject({
  leaderboard: z.array(Earner),
  leaderboard_budget: Human.describe('An extra reward for the first earners; 0 if there is none'),
  campaign: Campaign,
})
export type Leaderboard = z.infer<typeof Leaderboard>

export const EarnedRewards = z.strictObject({
  user_reward: z.strictObject({
    period_pending_amount: Human.describe('The amount earned in this period and not paid yet'),
    total_amount: Human,
    total_amount_in_usd: Human,
    total_pending_amount: Human.describe('The amount earned and not paid yet'),
    position: z.int().describe('The rank on the leaderboard; 0 if nothing was earned'),
  }),
  next_airdrop_date: DateTime.nullable().describe('When this period ends; null after the end of the campaign'),
  address: z.string(),
  rewards: z.array(
    z.strictObject({ swap_id: z.uuid(), date: DateTime, period: z.int(), amount: Human, amount_in_usd: Human }),
  ),
})
export type EarnedRewards = z.infer<typeof EarnedRewards>

export const RewardPayout = z.strictObject({
  status: z.enum(['pending', 'initiated', 'completed']).describe('initiated: sent and not confirmed yet'),
  date: DateTime.describe('When it was confirmed; before that, when it was sent or ordered'),
  period: z.int().describe('The last period that the payout covers'),
  amount: Human,
  transaction_id: z.string().nullable(),
})
export type RewardPayout = z.infer<typeof RewardPayout>

/** GET /campaigns/{campaign} and below. */
export const CampaignParams = z.object({
  campaign: z.string().trim().min(1).max(64).describe('The id or the name of a campaign'),
})
export const CampaignAddressParams = CampaignParams.extend({
  address: AddressText.describe('The address that earned it'),
})
