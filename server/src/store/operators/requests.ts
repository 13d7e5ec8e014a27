/** Dual control: requests of one operator that another must confirm. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type RequestRow = Selectable<Schema['request']>

export async function insertRequest(
  queries: Queries,
  { words, ...request }: Pick<RequestRow, 'command' | 'words' | 'seen' | 'usd' | 'reason' | 'asked_by' | 'asked_at'>,
): Promise<string> {
  const { id } = await queries
    .insertInto('request')
    .values({ ...request, words: JSON.stringify(words) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores an app's request about a swap in place of its earlier one: an app must not fill the list of requests. */
export async function replaceAppRequest(
  queries: Queries,
  request: Parameters<typeof insertRequest>[1],
  swapId: string,
): Promise<void> {
  await queries
    .deleteFrom('request')
    .where('asked_by', '=', request.asked_by)
    .where('command', '=', request.command)
    .where(sql<string>`words ->> 1`, '=', swapId)
    .where('outcome', 'is', null)
    .execute()
  await insertRequest(queries, request)
}

/** Removes the addresses from requests to erase one, except those that may still be confirmed. */
export async function redactErasures(queries: Queries): Promise<void> {
  await sql`update request set words = '[]', seen = '' where command = ${ERASE}
    and (outcome is not null or asked_at < now() - interval '1 day')`.execute(queries)
}

/** As a request names the command `erase`, which has no verb. */
export const ERASE = 'erase '

/** Unanswered requests since then, the oldest first. */
export async function openRequests(queries: Queries, since: Date, limit: number): Promise<RequestRow[]> {
  return queries
    .selectFrom('request')
    .selectAll()
    .where('outcome', 'is', null)
    .where('asked_at', '>', since)
    .orderBy('asked_at')
    .limit(limit)
    .execute()
}

export async function openRequest(queries: Queries, id: string, since: Date): Promise<RequestRow | null> {
  const row = await queries
    .selectFrom('request')
    .selectAll()
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .where('asked_at', '>', since)
    .executeTakeFirst()
  return row ?? null
}

/** Stores the answer to a request. False if another operator has already answered it. */
export async function settleRequest(
  queries: Queries,
  id: string,
  answer: { outcome: 'confirmed' | 'refused'; by: string; at: Date },
): Promise<boolean> {
  const rows = await queries
    .updateTable('request')
    .set({ outcome: answer.outcome, settled_by: answer.by, settled_at: answer.at })
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .returning('id')
    .execute()
  return rows.length === 1
}
