/** Notes what a swap earned, in the transaction that completes it. */
import type { Swap } from '@causeway/core'
import { periodOf } from '../campaigns.ts'
import { parseView } from '../quoteview.ts'
import type { Services } from '../services.ts'
import { insertReward } from '../store/campaigns.ts'
import type { Queries } from '../store/database.ts'
import type { SwapRow } from '../store/swaps.ts'

export async function noteReward(
  { campaigns, now }: Services,
  queries: Queries,
  row: SwapRow,
  swap: Swap,
): Promise<void> {
  if (row.status === 'completed' || swap.status !== 'completed' || campaigns.list.length === 0) return
  const { reward } = parseView(row.quote_view)
  const campaign = reward && campaigns.find(reward.campaign)
  if (!campaign) return
  const { units, usd } = reward
  const at = now()
  const earned = { campaign: campaign.name, swap_id: swap.id, address: swap.destinationAddress, units, usd, at }
  await insertReward(queries, { ...earned, period: periodOf(campaign, row.created_at) }, campaign.budgetUnits)
}
