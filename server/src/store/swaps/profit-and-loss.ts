/** Profit and loss since a given time, from the ledger, with the number of payments. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface ProfitRow {
  network: string
  token: string
  /** All values of this record are positive. */
  earned: bigint
  networkFees: bigint
  rewards: bigint
  lost: bigint
}

export async function profitSince(queries: Queries, since: Date): Promise<ProfitRow[]> {
  const { rows } = await sql<ProfitRow>`
    select network, token,
      coalesce(-sum(units) filter (where account = 'fees'), 0)::numeric(78, 0) as earned,
      coalesce(sum(units) filter (where account = 'network_fees'), 0)::numeric(78, 0) as "networkFees",
      coalesce(sum(units) filter (where account = 'rewards'), 0)::numeric(78, 0) as rewards,
      coalesce(sum(units) filter (where account = 'loss'), 0)::numeric(78, 0) as lost
    from ledger_entry where account in ('fees', 'network_fees', 'rewards', 'loss') and at > ${since}
    group by network, token order by network, token`.execute(queries)
  return rows
}

/** The number of payouts confirmed since then, the time of the newest, and the number in flight. */
export async function motionSince(
  queries: Queries,
  since: Date,
): Promise<{ paid: number; newest: Date | null; underWay: number }> {
  const { rows } = await sql<{ paid: number; newest: Date | null; underWay: number }>`
    select count(*)::integer as paid, max(at) as newest,
      (select count(*)::integer from payout where state = 'open' and held_by is null) as "underWay"
    from ledger_entry where account = 'promised' and reason = 'payout' and at > ${since}`.execute(queries)
  return rows[0] ?? { paid: 0, newest: null, underWay: 0 }
}
