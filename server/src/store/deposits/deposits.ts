/**
 * Deposits. The key is (network, transaction, index). One row per key is live and has the present content on chain. A
 * transaction that was re-mined may transfer something else; the superseded row is kept.
 */
import type { Address, BlockRef, DepositTransfer, Token } from '@causeway/core'
import { tokenKey } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { DepositRow } from '../swaps/swaps.ts'

/** Reads and locks a deposit. Its swap, if it has one, must be locked before. */
export async function lockDeposit(queries: Queries, id: string): Promise<DepositRow | null> {
  const row = await queries.selectFrom('deposit').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  return row ?? null
}

/** A deposit to insert; one whose key exists already is not inserted. `depth`: the required confirmations. */
interface NewDeposit {
  txHash: string
  transfer: DepositTransfer
  block: BlockRef | null
  depth: number
}

/** Rows per statement, limited because the number of parameters is bounded. */
const INSERTED_AT_ONCE = 500

export async function insertDeposits(
  queries: Queries,
  network: string,
  wanted: readonly NewDeposit[],
  seenAt: Date,
): Promise<DepositRow[]> {
  const rows: DepositRow[] = []
  const values = wanted.map(({ txHash, transfer, block, depth }) => ({
    ...{ network, tx_hash: txHash, index: transfer.index, alias: transfer.alias },
    ...{ block_number: block?.number ?? null, block_hash: block?.hash ?? null },
    ...{ from_address: transfer.from, senders: [...transfer.senders], to_address: transfer.to },
    ...{ token: transfer.token, units: transfer.units, reference: transfer.reference },
    ...{ swap_id: null, state: 'seen' as const, confirmations_wanted: depth, final_only: transfer.requiresFinality },
    seen_at: seenAt,
  }))
  for (let start = 0; start < values.length; start += INSERTED_AT_ONCE) {
    const some = values.slice(start, start + INSERTED_AT_ONCE)
    const insert = queries
      .insertInto('deposit')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
    rows.push(...(await insert.returningAll().execute()))
  }
  return rows
}

/** Stores the block and the content that the deposit has now. */
export async function refreshDeposit(
  queries: Queries,
  known: DepositRow,
  { transfer, block }: { transfer: DepositTransfer; block: BlockRef | null },
  seenAt: Date,
): Promise<DepositRow> {
  const hasMoved = block !== null && block.hash !== known.block_hash
  // A quote stays valid for money in a block, not for a mempool transaction whose sender may wait for the price to
  // move.
  const isNewArrival = hasMoved && (known.block_hash === null || known.state === 'gone')
  const fresh = {
    ...{ index: transfer.index, units: transfer.units, from_address: transfer.from },
    ...{ senders: [...transfer.senders], alias: transfer.alias },
    ...{ block_number: block?.number ?? null, block_hash: block?.hash ?? null },
    ...(isNewArrival ? { seen_at: seenAt, block_at: null } : {}),
  }
  await queries.updateTable('deposit').set(fresh).where('id', '=', known.id).execute()
  return { ...known, ...fresh }
}

/** Sets whether another deposit has replaced this one at its key. */
export async function setReplaced(queries: Queries, depositId: string, replaced: boolean): Promise<void> {
  await queries.updateTable('deposit').set({ replaced }).where('id', '=', depositId).execute()
}

export async function assignDeposit(queries: Queries, depositId: string, swapId: string): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ swap_id: swapId })
    .where('id', '=', depositId)
    .where('swap_id', 'is', null)
    .execute()
}

/** Makes the deposit unmatched, even if an operator had assigned it. Its swap has already been told that it is gone. */
export async function takeFromSwap(queries: Queries, depositId: string): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ swap_id: null, state: 'seen', resolution: null })
    .where('id', '=', depositId)
    .where('state', '=', 'gone')
    .execute()
}

/** Sets the state of an unmatched deposit; `advance` changes the others. Null if the state was not `from`. */
export async function setUnmatchedState(
  queries: Queries,
  depositId: string,
  state: 'seen' | 'confirmed' | 'gone',
  from: DepositRow['state'],
): Promise<DepositRow | null> {
  const changed = await queries
    .updateTable('deposit')
    .set({ state })
    .where('id', '=', depositId)
    .where('swap_id', 'is', null)
    .where('state', '=', from)
    .returningAll()
    .executeTakeFirst()
  return changed ?? null
}

/** The value of a token's base unit, to compare tokens; null if it has no price. */
export type Weights = ReadonlyMap<string, bigint | null>

/**
 * Transactions whose deposits have the required confirmations, the most valuable first, so that dust delays nothing.
 */
export async function findDue(
  queries: Queries,
  network: string,
  scannedTo: bigint,
  weights: Weights,
  limit: number,
): Promise<{ txHash: string; swapId: string | null }[]> {
  const known = [...weights].filter(([, weight]) => weight !== null)
  const { rows } = await sql<{ txHash: string; swapId: string | null }>`
    select deposit.tx_hash as "txHash", swap_id as "swapId" from deposit_look look
    join deposit on deposit.network = look.network and deposit.tx_hash = look.tx_hash and not final and not replaced
      and state = 'seen'
    left join unnest(${known.map(([token]) => token)}::text[], ${known.map(([, weight]) => `${weight}`)}::numeric[])
      as priced (token, weight) on priced.token = deposit.token
    where look.network = ${network} and class = 'credit' and due <= ${scannedTo}
    order by units * weight desc nulls first, block_number, deposit.id limit ${limit}`.execute(queries)
  return [...new Map(rows.toReversed().map((row) => [row.txHash, row])).values()].reverse()
}

/** A deposit in a block that a reorg may still remove. */
export interface UnfinalDeposit {
  id: string
  swap: string | null
  txHash: string
  senders: string[]
  token: string
  units: bigint
  state: string
  depth: number
  finalOnly: boolean
}

/**
 * All deposits within the final depth of a network, oldest first. Lost ones are included, because they may be re-mined.
 */
export async function unfinalDeposits(
  queries: Queries,
  network: string,
  finalBelow: bigint,
): Promise<UnfinalDeposit[]> {
  const { rows } = await sql<UnfinalDeposit>`
    select id, swap_id as swap, tx_hash as "txHash", senders, token, units, state, confirmations_wanted as depth,
      final_only as "finalOnly"
    from (
      select * from deposit where network = ${network} and not final and state in ('seen', 'confirmed')
        and block_number is not null
      union all
      select * from deposit where network = ${network} and not final and state = 'lost' and not replaced
        and block_number > ${finalBelow}
    ) unfinal order by block_number, seen_at, index, id`.execute(queries)
  return rows
}

/** Stores the required confirmations of each deposit, and when its transaction is inspected. */
export async function setDepths(
  queries: Queries,
  network: string,
  depths: readonly { id: string; txHash: string; depth: number }[],
): Promise<void> {
  if (depths.length === 0) return
  await sql`update deposit set confirmations_wanted = judged.depth
    from unnest(${depths.map(({ id }) => id)}::uuid[], ${depths.map(({ depth }) => depth)}::integer[]) as judged (id, depth)
    where deposit.id = judged.id and deposit.state in ('seen', 'lost')`.execute(queries)
  await sql`update deposit_look set due = wanted.due from (
      select tx_hash, min(block_number + confirmations_wanted - 1) as due from deposit
      where network = ${network} and tx_hash = any(${depths.map(({ txHash }) => txHash)}::text[]) and not final
        and not replaced and state = 'seen' group by tx_hash
    ) wanted where network = ${network} and deposit_look.tx_hash = wanted.tx_hash and class = 'credit'`.execute(queries)
}

/** Lost deposits of an address: they may be re-mined at any time. */
export async function lostDeposits(queries: Queries, token: Token, to: Address, limit: number) {
  return vanished(queries, token, to, 'lost').limit(limit).execute()
}

/** Orphaned deposits of an address that are still inspected. */
export async function orphanedDeposits(queries: Queries, token: Token, to: Address, limit: number) {
  return vanished(queries, token, to, 'gone')
    .where('final', '=', sql.lit(false))
    .where(({ exists, selectFrom, ref }) =>
      exists(
        selectFrom('deposit_look')
          .select('deposit_look.id')
          .where('deposit_look.network', '=', token.network)
          .where('deposit_look.tx_hash', '=', ref('deposit.tx_hash'))
          .where('deposit_look.class', '=', sql.lit('orphaned')),
      ),
    )
    .limit(limit)
    .execute()
}

/** Written exactly as in the partial indexes, so that a prepared statement uses them. */
function vanished(queries: Queries, token: Token, to: Address, state: 'lost' | 'gone') {
  return queries
    .selectFrom('deposit')
    .select(['tx_hash', 'index'])
    .where('network', '=', token.network)
    .where('token', '=', tokenKey(token))
    .where('to_address', '=', to)
    .where('state', '=', sql.lit(state))
    .where('replaced', '=', sql.lit(false))
    .orderBy('id')
}

/**
 * Whether a deposit of the transaction was seen after its swap's quote had expired. Then the block's timestamp decides.
 */
export async function hasLateDeposit(queries: Queries, network: string, txHash: string): Promise<boolean> {
  const row = await queries
    .selectFrom('deposit')
    .innerJoin('swap', 'swap.id', 'deposit.swap_id')
    .select('deposit.id')
    .where('deposit.network', '=', network)
    .where('deposit.tx_hash', '=', txHash)
    .where('deposit.replaced', '=', false)
    .where('deposit.state', '=', 'seen')
    .where('requested_units', 'is not', null)
    .whereRef('seen_at', '>', 'quote_expires_at')
    .executeTakeFirst()
  return row !== undefined
}

export async function setBlockTime(queries: Queries, depositId: string, at: Date): Promise<void> {
  await queries.updateTable('deposit').set({ block_at: at }).where('id', '=', depositId).execute()
}
