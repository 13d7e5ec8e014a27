/** The operators' rows, and who vouches for whom. */
import type { Selectable } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { OperatorRole } from '../db/schema-operators.ts'

export type OperatorRow = Selectable<Schema['operator']>

/** The sandbox's operator, who needs no key. */
export const SANDBOX_OPERATOR = 'sandbox'

export async function listOperators(queries: Queries): Promise<OperatorRow[]> {
  return queries.selectFrom('operator').selectAll().orderBy('name').execute()
}

/** Whether there is an operator with a key. */
export async function hasOperators(queries: Queries): Promise<boolean> {
  return (await listOperators(queries)).some(
    ({ public_key, disabled_at }) => public_key !== null && disabled_at === null,
  )
}

export async function insertOperator(
  queries: Queries,
  operator: { name: string; role: OperatorRole; publicKey: string; isFounder: boolean },
): Promise<void> {
  const { name, role, publicKey, isFounder } = operator
  await queries.insertInto('operator').values({ name, role, public_key: publicKey, is_founder: isFounder }).execute()
}

/** Which operator vouches for which other. */
export async function listVouchers(queries: Queries): Promise<{ operator: string; voucher: string }[]> {
  return queries
    .selectFrom('operator_voucher')
    .select(['operator', 'voucher'])
    .orderBy('at')
    .orderBy('voucher')
    .execute()
}

export async function insertVoucher(queries: Queries, operator: string, voucher: string): Promise<void> {
  await queries
    .insertInto('operator_voucher')
    .values({ operator, voucher })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The dollar threshold above which the service needs two people; null if it does not. */
export async function readDualControl(queries: Queries): Promise<number | null> {
  const row = await queries.selectFrom('dual_control').select('usd').executeTakeFirst()
  return row?.usd ?? null
}

export async function rememberDualControl(queries: Queries, usd: number | undefined): Promise<void> {
  if (usd === undefined) await queries.deleteFrom('dual_control').execute()
  else
    await queries
      .insertInto('dual_control')
      .values({ usd })
      .onConflict((conflict) => conflict.column('one').doUpdateSet({ usd }))
      .execute()
}

export async function disableOperator(queries: Queries, name: string, now: Date): Promise<boolean> {
  const rows = await queries
    .updateTable('operator')
    .set({ disabled_at: now })
    .where('name', '=', name)
    .where('disabled_at', 'is', null)
    .returning('name')
    .execute()
  return rows.length === 1
}

export async function setOperatorRole(queries: Queries, name: string, role: OperatorRole): Promise<boolean> {
  const rows = await queries
    .updateTable('operator')
    .set({ role })
    .where('name', '=', name)
    .where('disabled_at', 'is', null)
    .returning('name')
    .execute()
  return rows.length === 1
}

/** A sandbox's database is temporary, so its operator needs no key. */
export async function admitSandbox(queries: Queries): Promise<void> {
  await queries
    .insertInto('operator')
    .values({ name: SANDBOX_OPERATOR, role: 'admin', public_key: null, is_founder: true })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
