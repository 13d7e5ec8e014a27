/**
 * Writers: one row per start of a process, with a counter that only rises. A counter that is lower than one that was seen before
 * proves that the database went back in time.
 */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** By writer: its counter and its last address index. */
export type Counters = Record<string, [number, number]>

/** The row on which operator commands count. It belongs to no process and never ends. */
const COMMANDS = '00000000-0000-0000-0000-000000000000'

/** An operator changes something: a database that loses it is behind the journal. */
export async function countCommand(queries: Queries): Promise<void> {
  await countOn(queries, COMMANDS)
}

export async function addWriter(queries: Queries, id: string, signs: boolean): Promise<void> {
  await queries.insertInto('writer').values({ id, signs }).execute()
}

/** Counts on. Null if the row is missing, or was ended because another process signs now. */
export async function countOn(queries: Queries, id: string): Promise<bigint | null> {
  const row = await queries
    .updateTable('writer')
    .set((eb) => ({ n: eb('n', '+', 1n), beat_at: sql<Date>`now()` }))
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returning('n')
    .executeTakeFirst()
  return row?.n ?? null
}

/** Whether the row is there and was ended. */
export async function isEnded(queries: Queries, id: string): Promise<boolean> {
  const row = await queries.selectFrom('writer').select('ended_at').where('id', '=', id).executeTakeFirst()
  return row !== undefined && row.ended_at !== null
}

/** Counters of all writers that have not ended. */
export async function liveCounters(queries: Queries): Promise<Counters> {
  const rows = await queries
    .selectFrom('writer')
    .select(['id', 'n', 'last_index'])
    .where('ended_at', 'is', null)
    .execute()
  return Object.fromEntries(rows.map(({ id, n, last_index }) => [id, [Number(n), last_index]]))
}

/** Counters of these writers, ended or not. */
export async function countersOf(queries: Queries, ids: readonly string[]): Promise<Counters> {
  if (ids.length === 0) return {}
  const rows = await queries.selectFrom('writer').select(['id', 'n', 'last_index']).where('id', 'in', ids).execute()
  return Object.fromEntries(rows.map(({ id, n, last_index }) => [id, [Number(n), last_index]]))
}

/** Only one process signs with keys of its own: an older one that wakes up finds its row ended. */
export async function endOtherSigners(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable('writer')
    .set({ ended_at: sql<Date>`now()` })
    .where('signs', '=', true)
    .where('id', '<>', id)
    .where('ended_at', 'is', null)
    .execute()
}

export async function endWriter(queries: Queries, id: string): Promise<void> {
  await queries.updateTable('writer').set({ ended_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

/** Ends the rows of processes that were silent for this time. */
export async function endSilent(queries: Queries, silentMs: number): Promise<void> {
  await queries
    .updateTable('writer')
    .set({ ended_at: sql<Date>`now()` })
    .where('ended_at', 'is', null)
    .where('id', '<>', COMMANDS)
    .where('beat_at', '<', sql<Date>`now() - ${silentMs} * interval '1 millisecond'`)
    .execute()
}

/** Whether a process has counted on within the last minute. In a database that was just put back none has. */
export async function hasLiveWriter(queries: Queries): Promise<boolean> {
  const row = await queries
    .selectFrom('writer')
    .select('id')
    .where('ended_at', 'is', null)
    .where('beat_at', '>', sql<Date>`now() - interval '1 minute'`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
