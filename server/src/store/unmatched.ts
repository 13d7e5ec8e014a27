/** Deposits that matched no swap: listed, and closed by a person's decision. */
import { type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from './database.ts'
import type { Schema } from './schema.ts'
import type { DepositRow, PayoutRow } from './swaps.ts'

export async function listUnmatched(queries: Queries, limit: number): Promise<DepositRow[]> {
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where('swap_id', 'is', null)
    .where('resolution', 'is', null)
    .where('state', '!=', 'gone')
    .orderBy('seen_at')
    .limit(limit)
    .execute()
}

/** One transaction may hold many deposits; nobody reads more. */
const MOST_OF_A_TRANSACTION = 20

/** Those of a transaction, by its hash or by what nodes call it, whatever was decided about them. Hex is the same in any case. */
export async function findUnmatched(queries: Queries, hash: string): Promise<DepositRow[]> {
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
    .limit(MOST_OF_A_TRANSACTION)
    .execute()
}

export async function readDeposit(queries: Queries, id: string): Promise<DepositRow | null> {
  const row = await queries.selectFrom('deposit').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Reads and locks a confirmed deposit that nobody has decided about; null where there is no such one any more. */
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
  resolution: 'assigned' | 'refunded' | 'ignored' | null,
  refundUnits: bigint,
): Promise<void> {
  await queries
    .updateTable('deposit')
    .set({ resolution, refund_units: refundUnits, ...(resolution === 'assigned' ? { state: 'seen' } : {}) })
    .where('id', '=', id)
    .where('swap_id', 'is', null)
    .execute()
}

/** It was ignored, and is to be decided about again. */
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

export type ReturnDecision = Selectable<Schema['return_decision']>

/** Where these deposits are to go, by their ids, as far as somebody has said. */
export async function readReturns(
  queries: Queries,
  depositIds: readonly string[],
): Promise<ReadonlyMap<string, ReturnDecision>> {
  if (depositIds.length === 0) return new Map()
  const rows = await queries.selectFrom('return_decision').selectAll().where('deposit_id', 'in', depositIds).execute()
  return new Map(rows.map((row) => [row.deposit_id, row]))
}

/** The newest word counts. Whoever says it holds the deposit (`lockUnmatched`): nothing is ordered by the one before. */
export async function decideReturn(queries: Queries, depositId: string, to: string, at: Date): Promise<void> {
  const values = { to_address: to, at, refused: null }
  await queries
    .insertInto('return_decision')
    .values({ deposit_id: depositId, ...values })
    .onConflict((conflict) => conflict.column('deposit_id').doUpdateSet(values))
    .execute()
}

export async function refuseReturn(queries: Queries, depositId: string, reason: string): Promise<void> {
  await queries.updateTable('return_decision').set({ refused: reason }).where('deposit_id', '=', depositId).execute()
}

/** It is carried out, or void. */
export async function dropReturn(queries: Queries, depositId: string): Promise<void> {
  await queries.deleteFrom('return_decision').where('deposit_id', '=', depositId).execute()
}
