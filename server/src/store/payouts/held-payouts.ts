/** Payouts that a rule holds have left their lane: they are looked at again when something changes, and now and then. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

/**
 * Those whose time has come, the longest due first; in their lanes the oldest goes first. They are not given out again before
 * `nextAt` unless they are looked at: where a lane stands still, its payouts keep none of the others from being looked at.
 */
export async function takeDueHeld(
  queries: Queries,
  { now, nextAt, limit }: { now: Date; nextAt: Date; limit: number },
): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    with taken as (
      update hold set recheck_at = ${nextAt} where id = any(array(
        select id from hold where closed_at is null and payout_id is not null and recheck_at <= ${now}
        order by recheck_at limit ${limit} for update skip locked
      )) returning payout_id
    ) select payout.* from payout where state = 'open' and held_by = 'rule' and id in (select payout_id from taken)
      order by created_at, id`.execute(queries)
  return rows
}

/**
 * A switch, a limit, a halt or an approval has changed: all that rules hold is looked at again, each in its lane, the oldest
 * first, in the transaction of the change.
 */
export async function wakeHeld(queries: Queries): Promise<void> {
  await sql`select graphile_worker.add_job(
    'pay', json_build_object('payoutId', id), queue_name := 'pay:' || network || ':' || account,
    max_attempts := 25, job_key := 'pay:' || id, job_key_mode := 'replace'
  ) from (
    select id, network, account from payout where state = 'open' and held_by = 'rule' order by created_at, id
  ) held`.execute(queries)
}
