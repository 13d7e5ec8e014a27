/** Rewards: noted once a swap and never above the budget, and the sums that leaderboards are made of. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from './database.ts'
import type { Schema } from './schema.ts'

export type RewardRow = Selectable<Schema['reward']>

/** Notes a reward, cut to what is left of the budget. A second time for the same swap changes nothing. */
export async function insertReward(queries: Queries, reward: RewardRow, budgetUnits: bigint): Promise<void> {
  const { campaign, swap_id, address, period, units, usd, at } = reward
  // One after the other, so that two swaps cannot both take the last of it.
  await sql`select pg_advisory_xact_lock(20264, hashtext(${campaign}))`.execute(queries)
  await sql`
    insert into reward (campaign, swap_id, address, period, units, usd, at)
    select ${campaign}, ${swap_id}, ${address}, ${period}, least(${units}::numeric, left_over),
      floor(${usd}::numeric * least(${units}::numeric, left_over) / ${units}::numeric), ${at}
    from (select ${budgetUnits}::numeric - coalesce(sum(units), 0) as left_over from reward where campaign = ${campaign}) budget
    where left_over > 0
    on conflict do nothing`.execute(queries)
}

export async function earnedByCampaign(queries: Queries): Promise<Map<string, bigint>> {
  const rows = await queries
    .selectFrom('reward')
    .select((eb) => ['campaign', eb.fn.sum<bigint>('units').as('units')])
    .groupBy('campaign')
    .execute()
  return new Map(rows.map(({ campaign, units }) => [campaign, units]))
}

export interface Rank {
  address: string
  swaps: number
  units: bigint
  usd: bigint
}

/** Who earned most, of all or of one address. */
export async function rankEarners(
  queries: Queries,
  campaign: string,
  limit: number,
  address: string | null = null,
): Promise<Rank[]> {
  const { rows } = await sql<Rank>`
    select min(address) as address, count(*)::integer as swaps, sum(units) as units, sum(usd) as usd
    from reward
    where campaign = ${campaign} and (${address}::text is null or lower(address) = lower(${address}))
    group by lower(address) order by sum(units) desc, min(at) limit ${limit}`.execute(queries)
  return rows
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
