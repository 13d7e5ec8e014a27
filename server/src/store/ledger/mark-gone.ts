/** Marks deposits that left their address, by a sweep of ours or by a stranger. */
import { depositsGone, type Token, tokenKey } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { bookedNow } from './balances.ts'

/**
 * Marks the deposits of an address that what the ledger has there now does not need. Only those up to this block: a
 * later one may still be mined in another block.
 */
export async function markGone(
  queries: Queries,
  token: Token,
  address: string,
  upTo: bigint | null,
  mark: { swept_by: string } | { emptied: true },
): Promise<void> {
  // One statement: a credit in between would be in one of the two and not in the other.
  const { rows } = await sql<{ id: string; units: bigint; block: bigint; left: bigint }>`
    select id, units, block_number as block, ${bookedNow(address, token)} as left from deposit
    where network = ${token.network} and token = ${tokenKey(token)} and to_address = ${address}
      and state = 'confirmed' and swept_by is null and not emptied order by block_number, id`.execute(queries)
  const gone = depositsGone(rows, rows[0]?.left ?? 0n).filter(({ block }) => upTo === null || block <= upTo)
  if (gone.length === 0) return
  await queries
    .updateTable('deposit')
    .set(mark)
    .where(
      'id',
      'in',
      gone.map(({ id }) => id),
    )
    .where('state', '=', 'confirmed')
    .where('swept_by', 'is', null)
    .execute()
}
