/** Campaigns and rewards: one reward per swap, never above the budget, and the sums for leaderboards. */
import { type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type RewardRow = Selectable<Schema['reward']>

export type CampaignRow = Selectable<Schema['campaign']>

/**
 * Stores a campaign and its budget, and locks it until the end of the transaction. Null if it was started with another
 * token: rewards in two tokens cannot be summed. A budget is never cut below the earned sum.
 */
export async function declareCampaign(
  queries: Queries,
  { name, token, budgetUnits }: { name: string; token: Token; budgetUnits: bigint },
): Promise<CampaignRow | null> {
  const known = () =>
    queries
      .updateTable('campaign')
      .set({ budget_units: sql<bigint>`greatest(${budgetUnits}::numeric, earned_units)` })
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst()
  let row = await known()
  if (!row) {
    await sql`
      insert into campaign (name, network, token, budget_units, earned_units)
      select ${name}, ${token.network}, ${tokenKey(token)}, greatest(${budgetUnits}::numeric, earned), earned
      from (select coalesce(sum(units), 0) as earned from reward where campaign = ${name}) noted
      on conflict do nothing`.execute(queries)
    row = await known()
  }
  return row?.network === token.network && row.token === tokenKey(token) ? row : null
}

/**
 * Records a reward, limited to the rest of the budget. A second call for the same swap changes nothing. The campaign
 * must be locked, so that two swaps cannot both use the rest.
 */
export async function insertReward(
  queries: Queries,
  reward: Omit<RewardRow, 'payout_id'>,
  { budget_units, earned_units }: CampaignRow,
): Promise<void> {
  const left = budget_units - earned_units
  const units = reward.units < left ? reward.units : left
  if (units <= 0n) return
  const noted = await queries
    .insertInto('reward')
    .values({ ...reward, units, usd: (reward.usd * units) / reward.units })
    .onConflict((conflict) => conflict.doNothing())
    .returning('units')
    .executeTakeFirst()
  if (!noted) return
  await queries
    .updateTable('campaign')
    .set((eb) => ({ earned_units: eb('earned_units', '+', units) }))
    .where('name', '=', reward.campaign)
    .execute()
}

/** Changes the reward that a swap displays before it completes. */
export async function setPromise(
  queries: Queries,
  swapId: string,
  { campaign, units, usd }: { campaign: string; units: bigint; usd: bigint },
): Promise<void> {
  const reward = JSON.stringify({ campaign, units: `${units}`, usd: `${usd}` })
  await sql`update swap set quote_view = jsonb_set(quote_view, '{reward}', ${reward}::jsonb) where id = ${swapId}`.execute(
    queries,
  )
}

/** Whether a swap already has a reward, in any campaign. */
export async function hasReward(queries: Queries, swapId: string): Promise<boolean> {
  const row = await queries.selectFrom('reward').select('campaign').where('swap_id', '=', swapId).executeTakeFirst()
  return row !== undefined
}

/** The total earned per campaign, and the campaign's number. */
export async function readCampaigns(queries: Queries): Promise<Map<string, { number: number; earned: bigint }>> {
  const rows = await queries.selectFrom('campaign').select(['name', 'number', 'earned_units']).execute()
  return new Map(rows.map(({ name, number, earned_units }) => [name, { number, earned: earned_units }]))
}

export interface Rank {
  address: string
  swaps: number
  units: bigint
  usd: bigint
}

/** The addresses that earned most. */
export async function rankEarners(queries: Queries, campaign: string, limit: number): Promise<Rank[]> {
  const { rows } = await sql<Rank>`
    select min(address) as address, count(*)::integer as swaps, sum(units) as units, sum(usd) as usd
    from reward
    where campaign = ${campaign}
    group by lower(address) order by sum(units) desc, min(at) limit ${limit}`.execute(queries)
  return rows
}

export interface CampaignRank {
  /** The rank among all addresses with rewards, from 1; 0 without a reward. */
  position: number
  units: bigint
  usd: bigint
  /** Units not paid yet: in total, and of one period. */
  pendingUnits: bigint
  periodPendingUnits: bigint
}

/** The rank of an address in a campaign. */
export async function readCampaignRank(
  queries: Queries,
  campaign: string,
  address: string,
  period: number,
): Promise<CampaignRank> {
  const { rows } = await sql<CampaignRank>`
    with own as (
      select reward.units, reward.usd, reward.period, coalesce(payout.state, 'open') <> 'confirmed' as pending
      from reward left join payout on payout.id = reward.payout_id
      where reward.campaign = ${campaign} and lower(reward.address) = lower(${address})),
    total as (select coalesce(sum(units), 0) as units, coalesce(sum(usd), 0) as usd from own)
    select total.units, total.usd,
      (select coalesce(sum(units), 0) from own where pending) as "pendingUnits",
      (select coalesce(sum(units), 0) from own where pending and period = ${period}) as "periodPendingUnits",
      case when total.units = 0 then 0 else (
        select count(*)::integer + 1 from (
          select 1 from reward where campaign = ${campaign} group by lower(address) having sum(units) > total.units) ahead
      ) end as position
    from total`.execute(queries)
  return rows[0] ?? { position: 0, units: 0n, usd: 0n, pendingUnits: 0n, periodPendingUnits: 0n }
}

export async function listRewards(
  queries: Queries,
  campaign: string,
  address: string,
  limit: number,
): Promise<RewardRow[]> {
  return queries
    .selectFrom('reward')
    .selectAll()
    .where('campaign', '=', campaign)
    .where(sql<boolean>`lower(address) = lower(${address})`)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute()
}

export async function hasCampaign(queries: Queries, name: string): Promise<boolean> {
  return (await queries.selectFrom('campaign').select('name').where('name', '=', name).executeTakeFirst()) !== undefined
}
