/** The exchanges that the signer's policy allows, for processes that hold no keys. */
import type { ExchangeScope } from '@causeway/core'
import type { Queries } from '../db/database.ts'

/** `null`: the signer has no policy and allows all. */
export async function saveExchangeScope(queries: Queries, scope: ExchangeScope | null): Promise<void> {
  const text = scope && JSON.stringify(scope)
  await queries
    .insertInto('exchange_scope')
    .values({ scope: text })
    .onConflict((conflict) => conflict.column('singleton').doUpdateSet({ scope: text }))
    .execute()
}

/** Nothing is allowed while no process with keys has reported its signer. */
export async function readExchangeScope(queries: Queries): Promise<ExchangeScope | null> {
  const row = await queries.selectFrom('exchange_scope').select('scope').executeTakeFirst()
  return row ? row.scope : {}
}
