/**
 * Writers: one row per start of a process, with a counter that only rises. A counter lower than one seen before proves
 * that the database was rolled back.
 */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** Per writer: its counter and its last address index. */
export type Counters = Record<string, [number, number]>

/** Id of the writer row that operator commands use. It belongs to no process and never ends. */
const COMMANDS = '00000000-0000-0000-0000-000000000000'

/** Raises the counter of operator commands, so that a rollback that loses the command is detected. */
export async function countCommand(queries: Queries): Promise<void> {
  await countOn(queries, COMMANDS)
}

/** `hasKeys`: without keys the process depends on public keys that others have derived for its branch. */
export async function addWriter(queries: Queries, id: string, signs: boolean, hasKeys = true): Promise<void> {
  await queries.insertInto('writer').values({ id, signs, has_keys: hasKeys }).execute()
}

/**
 * Raises the process's counter and returns it. Null if the row is missing, or was ended because another process signs
 * now.
 */
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

/** Whether the writer's row exists and was ended. */
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

/** Ends the rows of other signing processes: an older one that wakes up finds its row ended and stops. */
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

/** Ends the rows of processes that were silent for this long. */
export async function endSilent(queries: Queries, silentMs: number): Promise<void> {
  await queries
    .updateTable('writer')
    .set({ ended_at: sql<Date>`now()` })
    .where('ended_at', 'is', null)
    .where('id', '<>', COMMANDS)
    .where('beat_at', '<', sql<Date>`now() - ${silentMs} * interval '1 millisecond'`)
    .execute()
}

/** Whether a process has raised its counter within the last minute. In a database that was just restored none has. */
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

/** Processes that run and have no branch yet. */
export async function writersWithoutBranch(queries: Queries): Promise<string[]> {
  const rows = await queries
    .selectFrom('writer')
    .select('id')
    .where('branch', 'is', null)
    .where('ended_at', 'is', null)
    .where('id', '<>', COMMANDS)
    .execute()
  return rows.map(({ id }) => id)
}
