/** Payouts held by a rule. They have no job: they are rechecked when a rule changes, and periodically. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { queueJobs } from '../db/jobs.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

/**
 * Takes held payouts that are due for a recheck, the longest due first, in lane order. They are not returned again
 * before `nextAt` unless they are rechecked, so a blocked lane does not starve the others.
 */
export async function takeDueHeld(
  queries: Queries,
  { now, nextAt, limit }: { now: Date; nextAt: Date; limit: number },
): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    with taken as (
      update hold set recheck_at = ${nextAt} where id = any(array(
        select id from hold where closed_at is null and payout_id is not null and code <> 'trouble' and recheck_at <= ${now}
        order by recheck_at limit ${limit} for update skip locked
      )) returning payout_id
    ) select payout.* from payout where state = 'open' and held_by = 'rule' and id in (select payout_id from taken)
      order by created_at, id`.execute(queries)
  return rows
}

/**
 * Requeues every payout held by a rule, the oldest first. Called in the transaction that changes a switch, limit, halt
 * or approval.
 */
export async function wakeHeld(queries: Queries): Promise<void> {
  await queueJobs(
    queries,
    sql`select (graphile_worker.add_job(
      'pay', json_build_object('payoutId', id), queue_name := 'pay:' || network || ':' || account,
      max_attempts := 25, job_key := 'pay:' || id, job_key_mode := 'replace'
    )).id from (
      select id, network, account from payout where state = 'open' and held_by = 'rule' order by created_at, id
    ) held`,
  )
}

/** The most payouts per limit that are asked for: behind them the others wait anyway. */
const MOST_QUEUED = 1_000

/**
 * Payouts without a slot that wait for an outflow limit of these networks, the oldest first. Each token has limits of its own, and
 * so do refunds and returns: those that wait for one limit must not hide those that wait for another.
 */
export async function heldForOutflow(queries: Queries, networks: readonly string[]): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    select * from (
      select payout.*, row_number() over (
        partition by payout.network, payout.token, payout.kind in ('refund', 'return')
        order by payout.created_at, payout.id) as place
      from hold join payout on payout.id = payout_id
      where code = 'outflow_limit' and closed_at is null and payout.state = 'open' and not payout.started
        and payout.network = any(${[...networks]}::text[])
    ) queued where place <= ${MOST_QUEUED} order by created_at, id`.execute(queries)
  return rows
}

/** When the oldest payout was ordered that is neither confirmed nor given up. */
export async function oldestOpenPayout(queries: Queries): Promise<Date | null> {
  const row = await queries
    .selectFrom('payout')
    .select('created_at')
    .where('state', '=', 'open')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return row?.created_at ?? null
}
