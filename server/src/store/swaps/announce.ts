/** Tells every listener, when the transaction commits, that a swap has changed. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export const SWAP_CHANNEL = 'causeway_swap'

export async function announceSwap(queries: Queries, swapId: string): Promise<void> {
  await announceSwaps(queries, [swapId])
}

export async function announceSwaps(queries: Queries, swapIds: readonly string[]): Promise<void> {
  if (swapIds.length === 0) return
  await sql`select pg_notify(${SWAP_CHANNEL}, id) from unnest(${swapIds}::text[]) id`.execute(queries)
}

/** The same, for the `returning` of a statement that updates the swap. */
export const swapChanged = sql`pg_notify(${SWAP_CHANNEL}, id::text)`.as('told')
