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

/** A process counts as running for this long after its last beat. */
const ALIVE_S = 60

/**
 * For how many seconds a process still counts as running; 0 if none does. A database that was restored from a backup
 * shows when its processes ran before the backup.
 */
export async function secondsUntilSilent(queries: Queries): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(ceil(greatest(0, ${ALIVE_S} - extract(epoch from now() - max(beat_at)))), 0)::int as seconds
    from writer where ended_at is null and id <> ${COMMANDS}`.execute(queries)
  return rows[0]?.seconds ?? 0
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
