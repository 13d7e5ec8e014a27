/** Whether work is pending on a network: then it is polled at full rate, otherwise at the idle rate. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** True if a swap waits for a deposit, a deposit lacks confirmations, or a payout is in flight and not held. */
export async function hasPendingWork(queries: Queries, network: string): Promise<boolean> {
  const { rows } = await sql<{ awaited: boolean }>`
    select exists (select from swap where source_network = ${network} and status = 'user_transfer_pending')
      or exists (select from payout where network = ${network} and state = 'open' and not started
        and (held_by is null or held_by = 'trouble'))
      or exists (select from slot join slot_payout on slot_payout.slot_id = slot.id and slot_payout.live
        join payout on payout.id = slot_payout.payout_id
        where slot.network = ${network} and slot.state = 'open' and payout.state = 'open')
      or exists (select from deposit where network = ${network} and not final and state = 'seen') as awaited`.execute(
    queries,
  )
  return rows[0]?.awaited ?? true
}
