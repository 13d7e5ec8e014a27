/** Deposits that match no swap: listed, and closed by an operator's decision. */
import { type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { DepositRow, PayoutRow } from '../swaps/swaps.ts'

const WAITS = sql`swap_id is null and resolution is null and state <> 'gone'`
/** Counting stops at this number: a longer list needs no exact total. */
const MOST_COUNTED = 10_000

/** The value in dollars, or null if there is no price. */
type Worth = (network: string, token: string, units: bigint) => number | null

/**
 * Deposits that wait for a decision, the most valuable first. Deposits with and without a price alternate, so that
 * neither hides the other; without a price the largest of each token come first. Reads a bounded number per token.
 */
export async function listUnmatched(queries: Queries, limit: number, worth: Worth = () => null): Promise<DepositRow[]> {
  const { rows: largest } = await sql<Pick<DepositRow, 'id' | 'network' | 'token' | 'units'> & { place: number }>`
    with recursive coin as (
      (select network, token from deposit where ${WAITS} order by network, token limit 1)
      union all
      select next.* from coin cross join lateral (
        select network, token from deposit where ${WAITS} and (network, token) > (coin.network, coin.token)
        order by network, token limit 1
      ) next
    )
    select waiting.* from coin cross join lateral (
      select id, network, token, units, (row_number() over (order by units desc, seen_at desc, id))::int as place
      from deposit where ${WAITS} and network = coin.network and token = coin.token
      order by units desc, seen_at desc, id limit ${limit}
    ) waiting order by place`.execute(queries)
  const valued = largest.map(({ id, network, token, units }) => ({ id, usd: worth(network, token, units) }))
  const priced = valued.filter(({ usd }) => usd !== null).sort((a, b) => (b.usd ?? 0) - (a.usd ?? 0))
  const kinds = [priced, valued.filter(({ usd }) => usd === null)]
  const ids = kinds
    .flatMap((kind) => kind.map(({ id }, place) => ({ id, place })))
    .sort((a, b) => a.place - b.place)
    .slice(0, limit)
    .map(({ id }) => id)
  if (ids.length === 0) return []
  const rows = await queries.selectFrom('deposit').selectAll().where('id', 'in', ids).execute()
  return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

/** The number of waiting deposits beyond those shown, as text; empty if none. */
export async function moreUnmatched(queries: Queries, shown: number): Promise<string> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select from deposit where ${WAITS} limit ${MOST_COUNTED}) counted`.execute(
    queries,
  )
  const count = rows[0]?.count ?? 0
  return count <= shown ? '' : `${count === MOST_COUNTED ? 'at least ' : ''}${count - shown} more`
}

/** One transaction may contain many deposits. An unauthenticated reader gets at most this many. */
const MOST_OF_A_TRANSACTION = 20

/** Deposits of a transaction, by its own hash or the hash that nodes list, decided or not. Hex is case-insensitive. */
export async function findUnmatched(
  queries: Queries,
  hash: string,
  limit = MOST_OF_A_TRANSACTION,
): Promise<DepositRow[]> {
  const exact = /^(0x)?[0-9a-f]+$/i.test(hash) ? null : hash
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where(({ or, and, eb }) =>
      or([
        sql<boolean>`lower(tx_hash) = lower(${hash})`,
        and([eb('alias', 'is not', null), sql<boolean>`lower(alias) = lower(${hash})`]),
      ]),
    )
    .where(sql<boolean>`(${exact}::text is null or tx_hash = ${exact} or alias = ${exact})`)
    .where('swap_id', 'is', null)
    .where('state', '!=', 'gone')
    .orderBy('seen_at')
    .limit(limit)
    .execute()
}

export async function readDeposit(queries: Queries, id: string): Promise<DepositRow | null> {
  const row = await queries.selectFrom('deposit').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Reads and locks a confirmed deposit without a decision; null if there is none. */
export async function lockUnmatched(queries: Queries, id: string): Promise<DepositRow | null> {
  const row = await queries
    .selectFrom('deposit')
    .selectAll()
    .where('id', '=', id)
    .where('swap_id', 'is', null)
    .where('resolution', 'is', null)
    .where('state', '=', 'confirmed')
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function resolveUnmatched(
  queries: Queries,
  id: string,
  resolution: DepositRow['resolution'],
  refundUnits: bigint,
): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ resolution, refund_units: refundUnits, ...(resolution === 'assigned' ? { state: 'seen' } : {}) })
    .where('id', '=', id)
    .where('swap_id', 'is', null)
    .execute()
}

/** Reopens an ignored deposit, so that it can be decided again. */
export async function takeUpIgnored(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ resolution: null })
    .where('id', '=', id)
    .where('swap_id', 'is', null)
    .where('resolution', '=', 'ignored')
    .execute()
}

export async function insertReturn(
  queries: Queries,
  order: {
    deposit: DepositRow
    token: Token
    account: string
    to: string
    units: bigint
    keptUnits: bigint
    now: Date
  },
): Promise<PayoutRow> {
  const { deposit, token, account, to, units, keptUnits, now } = order
  return queries
    .insertInto('payout')
    .values({
      swap_id: null,
      number: 0,
      kind: 'return',
      deposit_id: deposit.id,
      network: token.network,
      account,
      token: tokenKey(token),
      units,
      kept_units: keptUnits,
      to_address: to,
      state: 'open',
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The decided destination of an unmatched deposit: an address, or a swap. */
export type ReturnWord = { to: string; swapId?: never } | { swapId: string; to?: never }
export type ReturnDecision = Selectable<Schema['return_decision']>

/** The decided destination of these deposits, by id; undecided ones are missing. */
export async function readReturns(
  queries: Queries,
  depositIds: readonly string[],
): Promise<ReadonlyMap<string, ReturnDecision>> {
  if (depositIds.length === 0) return new Map()
  const rows = await queries.selectFrom('return_decision').selectAll().where('deposit_id', 'in', depositIds).execute()
  return new Map(rows.map((row) => [row.deposit_id, row]))
}

/**
 * Stores a decision about a deposit; the newest counts. The caller has locked the deposit (`lockUnmatched`), so that no
 * payout is ordered by the previous decision meanwhile.
 */
export async function decideReturn(
  queries: Queries,
  depositId: string,
  { to, swapId }: ReturnWord,
  at: Date,
): Promise<void> {
  const values = { to_address: to ?? null, swap_id: swapId ?? null, at, refused: null }
  await queries
    .insertInto('return_decision')
    .values({ deposit_id: depositId, ...values })
    .onConflict((conflict) => conflict.column('deposit_id').doUpdateSet(values))
    .execute()
}

export async function refuseReturn(queries: Queries, depositId: string, reason: string): Promise<void> {
  await queries.updateTable('return_decision').set({ refused: reason }).where('deposit_id', '=', depositId).execute()
}

/** Deletes a decision that was carried out or is void. */
export async function dropReturn(queries: Queries, depositId: string): Promise<void> {
  await queries.deleteFrom('return_decision').where('deposit_id', '=', depositId).execute()
}
