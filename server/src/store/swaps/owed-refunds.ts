/**
 * Owed money: it arrived, its swap no longer waits for it, and no payout is ordered for it. Also reads a swap's
 * history.
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
  /** Where a refund would go: the deposit's own address, else the swap's. */
  refund_addresses: (string | null)[]
  since: Date
  /** The total number, including those beyond the limit. */
  total: bigint
}

/**
 * Swaps with owed money, oldest first. Reads the small index of unspent deposits. A swap that still waits is included
 * once its window is over: whatever delays it (a node, a price) holds a user's money.
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

/** The events of a swap, in order. */
export async function readHistory(queries: Queries, swapId: string): Promise<HistoryRow[]> {
  return queries.selectFrom('swap_event').selectAll().where('swap_id', '=', swapId).orderBy('id').execute()
}
