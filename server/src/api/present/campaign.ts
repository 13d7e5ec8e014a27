/** Campaigns and rewards in wire format. */
import type { Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { Campaign } from '../../catalogue/campaigns.ts'
import { isRunning } from '../../market/campaigns.ts'
import type { Earning } from '../../store/swaps/quote-view.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { presentNetwork, presentToken } from './network.ts'
import { human, humanUsd } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

const PERCENT = 100

export function presentCampaign(viewpoint: PresentationContext, campaign: Campaign): wire.Campaign {
  const { catalogue, campaigns, now } = viewpoint.services
  const { name, token } = campaign
  const isOver = now().getTime() >= Date.parse(campaign.ends_at)
  return {
    id: campaigns.number(name),
    name,
    display_name: campaign.display_name,
    description: campaign.description ?? null,
    logo_url: campaign.logo_url ?? null,
    type: campaign.type,
    status: isRunning(campaign, now()) ? 'active' : isOver ? 'ended' : 'upcoming',
    nft_contract_address: campaign.nft_contract,
    token: presentToken(viewpoint, token),
    network: presentNetwork(viewpoint, catalogue.network(token.network)),
    percentage: campaign.fee_share * PERCENT,
    total_budget: human(campaign.budgetUnits, token),
    distributed_amount: human(campaigns.earned(name), token),
    min_payout_amount: human(campaign.minPayoutUnits, token),
    // There is no cap per payout below the budget.
    max_payout_amount: human(campaign.budgetUnits, token),
    start_date: campaign.starts_at,
    end_date: campaign.ends_at,
    reward_limit_period: campaign.period_days,
  }
}

/** The reward; null if nothing is earned, or the campaign is no longer listed. */
export function presentReward(viewpoint: PresentationContext, earning: Earning | null): wire.Reward | null {
  const { catalogue, campaigns } = viewpoint.services
  const campaign = earning && campaigns.find(earning.campaign)
  if (!campaign) return null
  const { token } = campaign
  return {
    token: presentToken(viewpoint, token),
    network: presentNetwork(viewpoint, catalogue.network(token.network)),
    amount: human(earning.units, token),
    amount_in_usd: humanUsd(earning.usd),
    campaign_type: campaign.type,
    nft_contract_address: campaign.nft_contract,
  }
}

/** A reward payout; `period` is the last one that it covers. */
export function presentRewardPayout(payout: PayoutRow, token: Token): wire.RewardPayout {
  const { state, sent_at, confirmed_at, created_at, period, units, tx_hash } = payout
  return {
    status: state === 'confirmed' ? 'completed' : tx_hash === null ? 'pending' : 'initiated',
    date: (confirmed_at ?? (tx_hash === null ? null : sent_at) ?? created_at).toISOString(),
    period: period ?? 0,
    amount: human(units, token),
    transaction_id: tx_hash,
  }
}
