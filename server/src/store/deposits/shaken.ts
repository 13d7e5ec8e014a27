/**
 * Deposits whose block was replaced, or that were shown otherwise than they were credited. Each is marked by itself until the
 * scan shows it in its block, or a node tells of it at final depth in a block that was not replaced.
 */
import type { BlockRef } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { roundRobin } from '../db/round-robin.ts'
import { type DepositRow, lockSwapRows } from '../swaps/swaps.ts'

/** As the index has it. */
const SHAKEN = sql`shaken_at is not null and not final and state in ('seen', 'confirmed')`

/** Blocks from here on were replaced. `at`: how far the scan has come. Answers how many deposits that shakes. */
export async function shakeFrom(queries: Queries, network: string, from: bigint, at: bigint): Promise<number> {
  // Also those that are gone or lost: nobody may find them again in the block that was replaced. Each by an index of its own.
  const { rows } = await sql<{ id: string; swap_id: string | null }>`
    select id, swap_id from deposit where network = ${network} and not final and state in ('seen', 'confirmed')
      and block_number >= ${from} and block_hash is not null
    union all select id, swap_id from deposit where network = ${network} and not final and state = 'lost' and not replaced
      and block_number >= ${from} and block_hash is not null
    union all select id, swap_id from deposit where network = ${network} and not final and state = 'gone' and not replaced
      and greatest(block_number, missing_from) >= ${from} and block_number >= ${from} and block_hash is not null`.execute(
    queries,
  )
  // Their swaps first, as everybody locks.
  await lockSwapRows(queries, [...new Set(rows.flatMap(({ swap_id }) => swap_id ?? []))])
  await sql`update deposit set shaken_at = ${at}, shaken_told = false,
      replaced_blocks = case when block_hash = any(replaced_blocks) then replaced_blocks
        else array_append(replaced_blocks, block_hash) end
    where id = any(${rows.map(({ id }) => id)}::uuid[]) and block_hash is not null`.execute(queries)
  return rows.length
}

/** Deposits from this block on are to be looked up again: one of them was shown otherwise. Their blocks may well stand. */
export async function doubtFrom(queries: Queries, network: string, from: bigint): Promise<void> {
  await sql`update deposit set shaken_at = head_number, shaken_told = false from chain_cursor
    where chain_cursor.network = ${network} and deposit.network = ${network} and not final
      and state in ('seen', 'confirmed') and block_number >= ${from}`.execute(queries)
}

/** To be looked up now. However many there are, each gets its turn; those that a person was told of are asked for apart. */
export async function findShaken(
  queries: Queries,
  network: string,
  isTold: boolean,
  limit: number,
): Promise<DepositRow[]> {
  const { rows } = await roundRobin<DepositRow>(
    sql`deposit where network = ${network} and ${SHAKEN} and shaken_told = ${isTold}`,
    limit,
  ).execute(queries)
  return rows
}

/** Deposits of these transactions that stood in blocks that were replaced, whatever has become of them. */
export async function shakenAmong(
  queries: Queries,
  network: string,
  txHashes: readonly string[],
): Promise<DepositRow[]> {
  const { rows } = await sql<DepositRow>`
    select * from deposit where network = ${network} and tx_hash = any(${txHashes}::text[]) and not replaced and not final
      and (shaken_at is not null or replaced_blocks <> '{}')`.execute(queries)
  return rows
}

/** The scan stands on its block: nothing is in doubt. */
export async function steadyDeposit(queries: Queries, depositId: string, block: BlockRef): Promise<void> {
  await sql`update deposit set shaken_at = null, shaken_told = false,
    replaced_blocks = array_remove(replaced_blocks, ${block.hash}) where id = ${depositId}`.execute(queries)
}

/** A node tells that it stands in this block. `lookAgainAt`: how far the scan has come; null where that block is final. */
export async function setReadAgain(
  queries: Queries,
  depositId: string,
  block: BlockRef,
  lookAgainAt: bigint | null,
): Promise<void> {
  const { number, hash } = block
  await queries
    .updateTable('deposit')
    .set({ block_number: number, block_hash: hash, missing_from: null, shaken_at: lookAgainAt, shaken_told: false })
    .where('id', '=', depositId)
    .execute()
}

/** Those that no node has told of since the scan stood at this block. Each is answered once. */
export async function takeUntold(queries: Queries, network: string, since: bigint): Promise<DepositRow[]> {
  const { rows } = await sql<DepositRow>`update deposit set shaken_told = true
    where network = ${network} and ${SHAKEN} and shaken_told = false and shaken_at <= ${since} returning *`.execute(
    queries,
  )
  return rows
}

/** Whether something on a network is still to be looked up, as long as that is waited for. */
export async function hasShaken(queries: Queries, network: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from deposit
    where network = ${network} and ${SHAKEN} and shaken_told = false) as found`.execute(queries)
  return rows[0]?.found ?? true
}

/** Whether something that came to the sources of a sweep is still to be looked up, as long as that is waited for. */
export async function hasShakenSource(
  queries: Queries,
  sweep: { id: string; network: string; token: string },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from deposit
    where network = ${sweep.network} and ${SHAKEN} and shaken_told = false and token = ${sweep.token}
      and to_address in (select source.to_address from deposit as source where source.swept_by = ${sweep.id})) as found`.execute(
    queries,
  )
  return rows[0]?.found ?? true
}
