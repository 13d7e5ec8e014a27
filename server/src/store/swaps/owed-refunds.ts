/**
 * Owed money: it arrived, its swap no longer waits for it, and no payout is ordered for it. Also a swap's own history.
 */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export interface OwedSwap {
  id: string
  status: string
  fail_reason: string | null
  network: string
  token: string
  units: bigint
  senders: (string | null)[]
  /** Where a refund would go: the address of the deposit, else of the swap. */
  refund_addresses: (string | null)[]
  since: Date
  /** The total number, including those that were left off. */
  total: bigint
}

/**
 * The oldest first. Read from the index of unspent deposits, which holds little else. A swap that still waits counts
 * too once its window is over: whatever delays it (a network without an answer, a price) holds a user's money.
 */
export async function listOwed(queries: Queries, limit: number, now: Date): Promise<OwedSwap[]> {
  const { rows } = await sql<OwedSwap>`
    select swap.id, swap.status, swap.fail_reason, deposit.network, deposit.token,
      array_agg(distinct coalesce(deposit.refund_address, swap.refund_address)) as refund_addresses,
      sum(deposit.units - deposit.output_units - deposit.refund_units) as units,
      array_agg(distinct deposit.from_address) as senders, min(deposit.confirmed_at) as since, count(*) over () as total
    from deposit join swap on swap.id = deposit.swap_id
    where deposit.state = 'confirmed' and deposit.output_units + deposit.refund_units < deposit.units
      and (swap.status <> 'user_transfer_pending' or swap.expires_at < ${now})
    group by swap.id, deposit.network, deposit.token
    order by since limit ${limit}`.execute(queries)
  return rows
}

export type HistoryRow = Selectable<Schema['swap_event']>

/** What happened to a swap, in order. */
export async function readHistory(queries: Queries, swapId: string): Promise<HistoryRow[]> {
  return queries.selectFrom('swap_event').selectAll().where('swap_id', '=', swapId).orderBy('id').execute()
}
