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

/** SQL: the proceeds of a sale that refunds have taken. */
const refunded = sql`(select coalesce(sum(units + kept_units), 0) from payout
  where swap_id = swap.id and state <> 'abandoned' and deposit_id is not null
    and (network, token) = (sale.network, sale.leg ->> 'buys'))`

/**
 * Swaps with owed money, oldest first. Reads the small indexes of unspent deposits and of swaps that
 * owe a refund, maybe of the proceeds of a sale. A swap that still waits is included
 * once its window is over: whatever delays it (a node, a price) holds a user's money.
 */
export async function listOwed(queries: Queries, limit: number, now: Date): Promise<OwedSwap[]> {
  const { rows } = await sql<OwedSwap>`
    with unspent as (
      select swap.id, swap.status, swap.fail_reason, deposit.network, deposit.token,
        array_agg(distinct coalesce(deposit.refund_address, swap.refund_address)) as refund_addresses,
        sum(deposit.units - deposit.output_units - deposit.refund_units) as units,
        array_agg(distinct deposit.from_address) as senders, min(deposit.confirmed_at) as since
      from deposit join swap on swap.id = deposit.swap_id
      where deposit.state = 'confirmed' and deposit.output_units + deposit.refund_units < deposit.units
        and (swap.status <> 'user_transfer_pending' or swap.expires_at < ${now})
      group by swap.id, deposit.network, deposit.token
    ), proceeds as (
      select swap.id, swap.status, swap.fail_reason, sale.network, sale.leg ->> 'buys' as token,
        array_agg(distinct coalesce(deposit.refund_address, swap.refund_address)) as refund_addresses,
        sale.received_units - ${refunded} as units,
        array_agg(distinct deposit.from_address) as senders, sale.confirmed_at as since
      from swap join payout sale on sale.swap_id = swap.id and sale.kind = 'sale' and sale.state = 'confirmed'
      join deposit on deposit.swap_id = swap.id and deposit.state = 'confirmed' and deposit.output_units > 0
      where swap.status = 'pending_refund' and sale.received_units > ${refunded}
      group by swap.id, sale.id
    ), owed as (select * from unspent union all select * from proceeds)
    select *, count(*) over () as total from owed order by since limit ${limit}`.execute(queries)
  return rows
}

export type HistoryRow = Selectable<Schema['swap_event']>

/** The events of a swap, in order. */
export async function readHistory(queries: Queries, swapId: string): Promise<HistoryRow[]> {
  return queries.selectFrom('swap_event').selectAll().where('swap_id', '=', swapId).orderBy('id').execute()
}
