/** What one person alone gave away within a day, for dual control. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import { APP_PREFIX } from './actor.ts'

const DAY_MS = 24 * 3_600_000

export interface Gift {
  /** The deposit or payout that is decided about; null if it has no id yet. */
  object: string | null
  usd: number
}

/** Commands that give something away count one after another, so that each sees those before it. */
export async function lockGivenAway(queries: Queries): Promise<void> {
  await sql`select pg_advisory_xact_lock(20279, 0)`.execute(queries)
}

/**
 * The dollars that were given away within a day, without those of these objects: a new decision replaces their last one.
 * `app`: what this app gave away with its keys. Without it, what all operators did: apps must not use up their allowance.
 */
export async function givenAwayUsd(
  queries: Queries,
  now: Date,
  objects: readonly (string | null)[],
  app: string | null = null,
): Promise<number> {
  // A null in the list would make the comparison unknown, so that nothing counted.
  const replaced = objects.filter((object) => object !== null)
  const { rows } = await sql<{ usd: number }>`
    select coalesce(sum(usd), 0) as usd from given_away
    where at > ${new Date(now.getTime() - DAY_MS)}
      and ${app === null ? sql`not starts_with(actor, ${APP_PREFIX})` : sql`actor = ${app}`} and (object is null or not object = any(${replaced}::text[]))`.execute(
    queries,
  )
  return rows[0]?.usd ?? 0
}

export async function recordGivenAway(
  queries: Queries,
  { actor, command, at, gifts }: { actor: string; command: string; at: Date; gifts: readonly Gift[] },
): Promise<void> {
  await queries
    .deleteFrom('given_away')
    .where('at', '<=', new Date(at.getTime() - DAY_MS))
    .execute()
  if (gifts.length === 0) return
  await queries
    .insertInto('given_away')
    .values(gifts.map((gift) => ({ ...gift, actor, command, at })))
    .onConflict((conflict) =>
      conflict.column('object').doUpdateSet({
        ...{ actor, command, at },
        usd: sql`greatest(given_away.usd, excluded.usd)`,
      }),
    )
    .execute()
}
