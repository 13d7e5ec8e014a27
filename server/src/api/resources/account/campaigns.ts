/** Reward campaigns: the list, the leaderboard, and what an address earned. */
import { ApiError } from '@causeway/core'
import {
  Campaign,
  CampaignAddressParams,
  CampaignParams,
  EarnedRewards,
  envelope,
  Leaderboard,
  RewardPayout,
} from '@causeway/sdk'
import { z } from 'zod'
import type { Campaign as Listed } from '../../../catalogue/campaigns.ts'
import { nextPayoutAt, periodOf } from '../../../market/campaigns.ts'
import type { Services } from '../../../services.ts'
import { listRewards, type Rank, rankEarners, readCampaignRank } from '../../../store/rewards/campaigns.ts'
import { listRewardPayouts } from '../../../store/rewards/rewards.ts'
import type { ClientQueue } from '../../access/client-queue.ts'
import { createTtlCache } from '../../cache/ttl-cache.ts'
import type { Api } from '../../http/schema.ts'
import { presentCampaign, presentRewardPayout } from '../../present/campaign.ts'
import { human, humanUsd } from '../../present/numbers.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'

const SHOWN_EARNERS = 100
const SHOWN_REWARDS = 100
/** A leaderboard sums the whole campaign, so it is cached this long. */
const KEEP_MS = 5_000

export function campaignsRoutes(api: Api, services: Services, turns: ClientQueue): void {
  const { reading: database, campaigns } = services
  const boards = createTtlCache<Rank[]>(KEEP_MS)

  api.get('/campaigns', { schema: { response: { 200: envelope(z.array(Campaign)) } } }, async (request) => {
    const viewpoint = presentationContextOf(services, request)
    return { data: campaigns.list.map((campaign) => presentCampaign(viewpoint, campaign)) }
  })

  api.get(
    '/campaigns/:campaign',
    { schema: { params: CampaignParams, response: { 200: envelope(Campaign) } } },
    async (request) => ({
      data: presentCampaign(presentationContextOf(services, request), named(request.params.campaign)),
    }),
  )

  api.get(
    '/campaigns/:campaign/leaderboard',
    { schema: { params: CampaignParams, response: { 200: envelope(Leaderboard) } } },
    async (request) => {
      const campaign = named(request.params.campaign)
      const ranks = await boards.get(campaign.name, () => rankEarners(database, campaign.name, SHOWN_EARNERS))
      const leaderboard = ranks.map(({ address, swaps, units, usd }, at) => {
        return { position: at + 1, address, swaps, amount: human(units, campaign.token), amount_in_usd: humanUsd(usd) }
      })
      const shown = presentCampaign(presentationContextOf(services, request), campaign)
      return { data: { leaderboard, leaderboard_budget: 0, campaign: shown } }
    },
  )

  api.get(
    '/campaigns/:campaign/rewards/:address',
    { schema: { params: CampaignAddressParams, response: { 200: envelope(EarnedRewards) } } },
    async (request, reply) => {
      const { params } = request
      const campaign = named(params.campaign)
      const { name, token } = campaign
      const { address } = params
      const now = services.now()
      const { standing, rewards } = await turns(request, reply, async () => ({
        standing: await readCampaignRank(database, name, address, periodOf(campaign, now)),
        rewards: await listRewards(database, name, address, SHOWN_REWARDS),
      }))
      return {
        data: {
          user_reward: {
            period_pending_amount: human(standing.periodPendingUnits, token),
            total_amount: human(standing.units, token),
            total_amount_in_usd: humanUsd(standing.usd),
            total_pending_amount: human(standing.pendingUnits, token),
            position: standing.position,
          },
          next_airdrop_date: nextPayoutAt(campaign, now)?.toISOString() ?? null,
          address,
          rewards: rewards.map(({ swap_id, at, period, units, usd }) => ({
            swap_id,
            date: at.toISOString(),
            period,
            amount: human(units, token),
            amount_in_usd: humanUsd(usd),
          })),
        },
      }
    },
  )

  api.get(
    '/campaigns/:campaign/payouts/:address',
    { schema: { params: CampaignAddressParams, response: { 200: envelope(z.array(RewardPayout)) } } },
    async ({ params }) => {
      const { name, token } = named(params.campaign)
      const payouts = await listRewardPayouts(database, name, SHOWN_REWARDS, params.address)
      return { data: payouts.map((payout) => presentRewardPayout(payout, token)) }
    },
  )

  function named(name: string): Listed {
    const campaign = campaigns.find(name)
    if (!campaign) throw new ApiError('NOT_FOUND', `There is no campaign ${name}.`)
    return campaign
  }
}
