/**
 * A restore without the signing journal. It stores a *barrier*: payouts for swaps and deposits from before it wait for
 * an operator's decision, because they may already have been paid.
 */
import type { Movement } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

export type Barrier = Selectable<Schema['restore_barrier']>

/** The highest ordinal of a swap, including one that is being inserted now. */
async function newestOrdinal(queries: Queries): Promise<bigint> {
  const { rows } = await sql<{ newest: bigint }>`
    select case when is_called then last_value else last_value - 1 end as newest from swap_ordinal_seq`.execute(queries)
  return rows[0]?.newest ?? 0n
}

/**
 * Stores the barrier and forgets the journal lines of all attempts, because the journal is a new one. If no block is
 * known for a network, all its deposits count as before the barrier.
 */
export async function beginWithoutJournal(
  queries: Queries,
  journalId: string,
  barriers: readonly Pick<Barrier, 'network' | 'block' | 'from_block'>[],
  at: Date,
): Promise<void> {
  await queries.updateTable('attempt').set({ journal_n: null, journal_hash: null }).execute()
  await queries.updateTable('journal').set({ id: journalId, state: 'without_journal', adopted_to: 0n }).execute()
  const ordinalsTo = await newestOrdinal(queries)
  for (const barrier of barriers) {
    const values = { ...barrier, ordinals_to: ordinalsTo, at }
    // An earlier barrier keeps its first block if that is lower.
    await queries
      .insertInto('restore_barrier')
      .values(values)
      .onConflict((conflict) =>
        conflict.column('network').doUpdateSet((eb) => ({
          ...{ block: values.block, ordinals_to: ordinalsTo, at },
          from_block: eb.fn('least', ['restore_barrier.from_block', eb.val(values.from_block)]),
        })),
      )
      .execute()
  }
  await countSweepsFrom(
    queries,
    barriers.map(({ network }) => network),
  )
}

export async function readBarriers(queries: Queries): Promise<Barrier[]> {
  return queries.selectFrom('restore_barrier').selectAll().orderBy('network').execute()
}

/** Networks that have ever been scanned. */
export async function scannedNetworks(queries: Queries): Promise<string[]> {
  return (await queries.selectFrom('chain_cursor').select('network').execute()).map(({ network }) => network)
}

/** Which of these payouts may have been made before the barrier: those of an older swap, for an older deposit,
 * or an older withdrawal. */
export async function beforeBarrier(queries: Queries, payouts: readonly PayoutRow[]): Promise<Set<string>> {
  if (payouts.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select payout.id from payout
    where payout.id = any(${payouts.map(({ id }) => id)}::uuid[]) and payout.kind <> 'recorded' and exists (
      select from restore_barrier barrier where
        (payout.kind = 'withdrawal' and payout.created_at <= barrier.at) or
        exists (select from swap where swap.id = payout.swap_id and swap.ordinal <= barrier.ordinals_to)
        or exists (select from reward join swap on swap.id = reward.swap_id
          where reward.payout_id = payout.id and swap.ordinal <= barrier.ordinals_to)
        or exists (select from deposit where deposit.network = barrier.network
          and (deposit.id = payout.deposit_id or deposit.swap_id = payout.swap_id)
          and (barrier.block is null or deposit.block_number is null or deposit.block_number <= barrier.block)))`.execute(
    queries,
  )
  return new Set(rows.map(({ id }) => id))
}

export async function acceptTransactions(
  queries: Queries,
  { network, account }: { network: string; account: string },
  found: readonly Pick<Movement, 'txHash'>[],
  at: Date,
): Promise<void> {
  if (found.length === 0) return
  await queries
    .insertInto('accepted_transaction')
    .values(found.map(({ txHash }) => ({ network, account, tx_hash: txHash, at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** From now on, a deposit address that is found empty may have been swept by a transaction that the database lost. */
export async function countSweepsFrom(queries: Queries, networks: readonly string[]): Promise<void> {
  if (networks.length === 0) return
  await queries
    .insertInto('forgotten_sweep')
    .values(networks.map((network) => ({ network })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Counts a deposit address that was emptied by a sweep that the database may have lost. Without a restore it changes
 * nothing.
 */
export async function countEmptied(queries: Queries, network: string): Promise<void> {
  await queries
    .updateTable('forgotten_sweep')
    .set((eb) => ({ emptied: eb('emptied', '+', 1) }))
    .where('network', '=', network)
    .execute()
}

/** The number of such addresses whose fees are not booked yet. */
export async function emptiedAddresses(queries: Queries, network: string): Promise<bigint> {
  const rows = queries.selectFrom('forgotten_sweep').select('emptied').where('network', '=', network)
  return BigInt((await rows.executeTakeFirst())?.emptied ?? 0)
}

export async function clearEmptied(queries: Queries, network: string): Promise<void> {
  await queries.updateTable('forgotten_sweep').set({ emptied: 0 }).where('network', '=', network).execute()
}
