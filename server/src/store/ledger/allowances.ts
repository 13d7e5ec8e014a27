/** Used allowances of a wallet. An allowance is a permitted loss without a transfer, such as rent. */
import type { Queries } from '../db/database.ts'

export interface AllowanceSpent {
  /** The part of the daily allowance that was used at that time. */
  dailyUnits: bigint
  at: Date
  onceUnits: bigint
}

export async function readAllowance(
  queries: Queries,
  network: string,
  account: string,
): Promise<AllowanceSpent | null> {
  const row = await queries
    .selectFrom('allowance_spent')
    .selectAll()
    .where('network', '=', network)
    .where('account', '=', account)
    .executeTakeFirst()
  return row ? { dailyUnits: row.daily_units, at: row.at, onceUnits: row.once_units } : null
}

export async function saveAllowance(
  queries: Queries,
  network: string,
  account: string,
  { dailyUnits, at, onceUnits }: AllowanceSpent,
): Promise<void> {
  const values = { daily_units: dailyUnits, at, once_units: onceUnits }
  await queries
    .insertInto('allowance_spent')
    .values({ network, account, ...values })
    .onConflict((conflict) => conflict.columns(['network', 'account']).doUpdateSet(values))
    .execute()
}
