/** Deposits that matched no swap: listed, and closed by a person's decision. */
import { type Token, tokenKey } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from './database.ts'
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
