/** Paying rewards: the due ones, the payout that takes them, and its result. A reward is in one payout at a time. */
import { RetryLater, type Token, tokenKey } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import type { CampaignRow } from './campaigns.ts'

export interface Due {
  address: string
  units: bigint
}

/** SQL: a recorded payout (restored from the journal) paid this reward before the restore. */
const IS_SETTLED = sql`exists (select from settled_key where key = 'r:' || reward.campaign || '/' || reward.swap_id)`

/** Reads and locks a campaign: other orders and cancellations of its payouts wait for the end of the transaction. */
export async function lockCampaign(queries: Queries, name: string): Promise<CampaignRow | null> {
  const row = await queries.selectFrom('campaign').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()
  return row ?? null
}

/**
 * Addresses that are owed at least this much up to a period, the most first. Only swaps that are still completed count,
 * and an address that already has a payout for this period waits for the next.
 */
export async function dueRewards(
  queries: Queries,
  wanted: { campaign: string; period: number; leastUnits: bigint; limit: number },
): Promise<Due[]> {
  const { campaign, period, leastUnits, limit } = wanted
  const { rows } = await sql<Due>`
    select reward.address, sum(reward.units) as units
    from reward join swap on swap.id = reward.swap_id and swap.status = 'completed'
    where reward.campaign = ${campaign} and reward.payout_id is null and reward.period <= ${period}
      and not ${IS_SETTLED} and not exists (
        select 1 from payout where payout.kind = 'reward' and payout.state <> 'abandoned'
          and payout.campaign = ${campaign} and payout.to_address = reward.address and payout.period = ${period})
    group by reward.address having sum(reward.units) >= ${leastUnits}::numeric
    order by sum(reward.units) desc, reward.address limit ${limit}`.execute(queries)
  return rows
}

/**
 * Orders the payout of due rewards, as far as the chain's precision allows, and assigns the rewards to it. The campaign
 * must be locked.
 */
export async function insertRewardPayout(
  queries: Queries,
  order: { campaign: string; period: number; due: Due; units: bigint; token: Token; account: string; now: Date },
): Promise<PayoutRow> {
  const { campaign, period, due, units, token, account, now } = order
  const payout = await queries
    .insertInto('payout')
    .values({
      swap_id: null,
      number: 0,
      kind: 'reward',
      deposit_id: null,
      network: token.network,
      account,
      token: tokenKey(token),
      units,
      to_address: due.address,
      state: 'open',
      campaign,
      period,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const { rows } = await sql<{ units: bigint }>`
    update reward set payout_id = ${payout.id} from swap
    where swap.id = reward.swap_id and swap.status = 'completed' and reward.campaign = ${campaign}
      and reward.address = ${due.address} and reward.payout_id is null and reward.period <= ${period} and not ${IS_SETTLED}
    returning reward.units`.execute(queries)
  const taken = rows.reduce((total, reward) => total + reward.units, 0n)
  // A completed swap may have been reverted a moment ago.
  if (taken !== due.units) throw new RetryLater('the rewards changed while they were ordered')
  await addOrdered(queries, campaign, units)
  return payout
}

/** Which of these reward payouts are for a swap that is no longer completed. */
export async function undoneEarners(queries: Queries, payouts: readonly PayoutRow[]): Promise<Set<string>> {
  const ids = payouts.flatMap(({ id, kind }) => (kind === 'reward' ? [id] : []))
  if (ids.length === 0) return new Set()
  const rows = await queries
    .selectFrom('reward')
    .innerJoin('swap', 'swap.id', 'reward.swap_id')
    .select('reward.payout_id as id')
    .where('reward.payout_id', 'in', ids)
    .where('swap.status', '!=', 'completed')
    .distinct()
    .execute()
  return new Set(rows.flatMap(({ id }) => id ?? []))
}

/** Closes or reopens a reward payout. False if it was already closed, or its rewards were released. */
export async function closeRewardPayout(
  queries: Queries,
  id: string,
  from: 'open' | 'confirmed',
  to: 'open' | 'confirmed' | 'abandoned',
  now: Date,
): Promise<boolean> {
  const rows = await queries
    .updateTable('payout')
    .set({ state: to, confirmed_at: to === 'confirmed' ? now : null })
    .where('id', '=', id)
    .where('kind', '=', 'reward')
    .where('state', '=', from)
    .returning('id')
    .execute()
  return rows.length === 1
}

/** Subtracts the amount of an abandoned payout from the ordered sum. */
export async function takeOrderBack(queries: Queries, { campaign, units }: PayoutRow): Promise<void> {
  if (campaign !== null) await addOrdered(queries, campaign, -units)
}

/** Releases the rewards of an abandoned payout for the next one. Returns their number. */
export async function releaseRewards(queries: Queries, payoutId: string): Promise<number> {
  const rows = await queries
    .updateTable('reward')
    .set({ payout_id: null })
    .where('payout_id', '=', payoutId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('payout').select('id').where('id', '=', payoutId).where('state', '=', 'abandoned')),
    )
    .returning('swap_id')
    .execute()
  return rows.length
}

/** Reward payouts, newest first, of one address or of all. */
export async function listRewardPayouts(
  queries: Queries,
  campaign: string,
  limit: number,
  address: string | null = null,
): Promise<PayoutRow[]> {
  let query = queries.selectFrom('payout').selectAll().where('kind', '=', 'reward').where('campaign', '=', campaign)
  if (address !== null) {
    query = query.where('state', '!=', 'abandoned').where(sql<boolean>`lower(to_address) = lower(${address})`)
  }
  return query.orderBy('created_at', 'desc').orderBy('to_address').limit(limit).execute()
}

export async function countOpenRewardPayouts(queries: Queries, campaign: string): Promise<number> {
  const { count } = await queries
    .selectFrom('payout')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('kind', '=', 'reward')
    .where('state', '=', 'open')
    .where('campaign', '=', campaign)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export interface CampaignSums extends CampaignRow {
  paid_units: bigint
  swaps: number
  addresses: number
}

/** The operators' view: budget, earned, ordered and paid, for one campaign or all. */
export async function sumCampaigns(queries: Queries, name: string | null = null): Promise<CampaignSums[]> {
  const { rows } = await sql<CampaignSums>`
    select campaign.*, coalesce(noted.swaps, 0) as swaps, coalesce(noted.addresses, 0) as addresses,
      coalesce((select sum(units) from payout
        where kind = 'reward' and state = 'confirmed' and payout.campaign = campaign.name), 0) as paid_units
    from campaign left join (
      select campaign, count(*)::integer as swaps, count(distinct address)::integer as addresses
      from reward group by campaign
    ) noted on noted.campaign = campaign.name
    where ${name}::text is null or campaign.name = ${name}
    order by campaign.name`.execute(queries)
  return rows
}

async function addOrdered(queries: Queries, campaign: string, units: bigint): Promise<void> {
  await queries
    .updateTable('campaign')
    .set((eb) => ({ ordered_units: eb('ordered_units', '+', units) }))
    .where('name', '=', campaign)
    .execute()
}
