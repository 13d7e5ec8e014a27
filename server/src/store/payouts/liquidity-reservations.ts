/**
 * Reserved liquidity per token: open payouts, those paid after the balance was read, and the outputs that follow open
 * sales. The database updates the sum of open payouts with every change; changes are folded into it in the background.
 */
import type { Token } from '@causeway/core'
import { tokenKey } from '@causeway/core'
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** Changes folded by one statement. */
const SLICE = 5_000

/**
 * The reserved amount of a token that a balance read at `since` does not reflect: payouts that are open or were paid
 * after it.
 */
export async function reservedSince(queries: Queries, token: Token, since: Date): Promise<bigint> {
  const sums = await promised(queries, sql`network = ${token.network} and token = ${tokenKey(token)}`, since)
  return sums.get(tokenKey(token)) ?? 0n
}

/** Like `reservedSince`, for each token of a network. */
export async function reservedByToken(queries: Queries, network: string, since: Date): Promise<Map<string, bigint>> {
  return promised(queries, sql`network = ${network}`, since)
}

/** One statement, so that a payout that closes now, or a change that is being folded, counts exactly once. */
async function promised(queries: Queries, wanted: RawBuilder<unknown>, since: Date): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ token: string; units: bigint }>`
    select token, sum(units) as units from (
      select token, units from reservation where ${wanted}
      union all select token, units from reservation_change where ${wanted}
      union all select token, units from payout where ${wanted} and state = 'confirmed' and confirmed_at > ${since}
        and kind not in ('sweep', 'relay', 'admin')
      union all select token, units from (
        select leg #>> '{reserves,network}' as network, leg #>> '{reserves,token}' as token,
          (leg #>> '{reserves,units}')::numeric as units
        from payout where kind = 'sale' and state = 'open'
      ) output_after_sale where ${wanted}
    ) promised group by token having sum(units) <> 0`.execute(queries)
  return new Map(rows.map(({ token, units }) => [token, units]))
}

/** Folds all changes so far. Two concurrent callers take different changes. */
export async function foldReservations(queries: Queries): Promise<void> {
  for (let folded = SLICE; folded === SLICE; folded = await foldSlice(queries));
}

/** One statement adds a change to the sum and deletes it, so it counts exactly once. */
async function foldSlice(queries: Queries): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with taken as (
      delete from reservation_change
      where id = any(array(select id from reservation_change order by id limit ${sql.lit(SLICE)} for update skip locked))
      returning network, token, units
    ), added as (
      insert into reservation (network, token, units)
      select network, token, sum(units) from taken group by 1, 2 order by 1, 2
      on conflict (network, token) do update set units = reservation.units + excluded.units
    )
    select count(*)::integer as folded from taken`.execute(queries)
  return rows[0]?.folded ?? 0
}

/** Serialises reservations of one token until the end of the transaction. */
export async function lockInventory(queries: Queries, token: Token): Promise<void> {
  await sql`select pg_advisory_xact_lock(20262, hashtext(${`${token.network}/${tokenKey(token)}`}))`.execute(queries)
}
