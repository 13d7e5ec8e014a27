/** Reward campaigns: what is given to those who swap, who earned it, and the calls that tell. */
import { CAMPAIGN_TYPES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { Network, Token } from './network.ts'
import { AddressText, DateTime, Human } from './values.ts'

export const Campaign = z.strictObject({
  id: z.string(),
  name: z.string(),
  display_name: z.string(),
  type: z.enum(CAMPAIGN_TYPES),
  status: z.enum(['upcoming', 'active', 'ended']),
  nft_contract_address: z.string().nullable(),
  token: Token,
  network: Network,
  fee_share: z.number().describe('Which part of the service fee is given back; 0.5 is half'),
  budget: Human,
  distributed: Human.describe('What was earned so far'),
  start_date: DateTime,
  end_date: DateTime,
  period_days: z.int(),
})
export type Campaign = z.infer<typeof Campaign>

export const Earner = z.strictObject({
  position: z.int(),
  address: z.string(),
  swaps: z.int(),
  amount: Human,
  amount_in_usd: Human,
})

export const Leaderboard = z.strictObject({ campaign: Campaign, leaderboard: z.array(Earner) })
export type Leaderboard = z.infer<typeof Leaderboard>

export const EarnedRewards = z.strictObject({
  address: z.string(),
  total_amount: Human,
  total_amount_in_usd: Human,
  rewards: z.array(
    z.strictObject({ swap_id: z.uuid(), date: DateTime, period: z.int(), amount: Human, amount_in_usd: Human }),
  ),
})
export type EarnedRewards = z.infer<typeof EarnedRewards>

export const RewardPayout = z.strictObject({
  status: z.enum(['pending', 'initiated', 'completed']).describe('initiated: sent and not confirmed yet'),
  date: DateTime.describe('When it was confirmed; before that, when it was sent or ordered'),
  period: z.int().describe('The last one that it pays'),
  amount: Human,
  transaction_hash: z.string().nullable(),
})
export type RewardPayout = z.infer<typeof RewardPayout>

/** GET /campaigns/{campaign} and what is below it. */
export const CampaignParams = z.object({ campaign: z.string().trim().min(1).max(64) })
export const CampaignAddressParams = CampaignParams.extend({ address: AddressText })
