/**
 * The database's record of its signing journal: which journal it is, whether signing is stopped, and which lines are
 * stored as attempts.
 */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { StopCode } from '../db/schema-journal.ts'

export type JournalRow = Selectable<Schema['journal']>

export async function readJournalRow(queries: Queries): Promise<JournalRow | null> {
  return (await queries.selectFrom('journal').selectAll().executeTakeFirst()) ?? null
}

export async function insertJournalRow(queries: Queries, id: string, databaseId: string): Promise<void> {
  await queries.insertInto('journal').values({ id, database_id: databaseId }).execute()
}

export async function setJournalState(queries: Queries, state: 'running' | StopCode): Promise<void> {
  await queries.updateTable('journal').set({ state }).execute()
}

export async function setAdoptedTo(queries: Queries, n: number): Promise<void> {
  await queries
    .updateTable('journal')
    .set({ adopted_to: sql<bigint>`greatest(adopted_to, ${n}::bigint)` })
    .execute()
}

/** The attempt with the highest line number of the journal. */
export async function newestAttempt(queries: Queries): Promise<{ n: number; hash: string } | null> {
  const row = await queries
    .selectFrom('attempt')
    .select(['journal_n', 'journal_hash'])
    .where('journal_n', 'is not', null)
    .orderBy('journal_n', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.journal_n == null ? null : { n: Number(row.journal_n), hash: row.journal_hash ?? '' }
}

/** Whether anything was ever signed with this database. */
export async function hasAttempts(queries: Queries): Promise<boolean> {
  return (await queries.selectFrom('attempt').select('number').limit(1).executeTakeFirst()) !== undefined
}

/** Which of these line numbers are stored as attempts, with the hashes of their lines. */
export async function storedLines(queries: Queries, lines: readonly number[]): Promise<Map<number, string>> {
  if (lines.length === 0) return new Map()
  const rows = await queries
    .selectFrom('attempt')
    .select(['journal_n', 'journal_hash'])
    .where('journal_n', 'in', lines.map(BigInt))
    .execute()
  return new Map(rows.map(({ journal_n, journal_hash }) => [Number(journal_n), journal_hash ?? '']))
}

/** Asks the signing process to resume. `line`: the last line of the journal now. False if signing is not stopped. */
export async function askToResume(queries: Queries, by: string, line: number): Promise<boolean> {
  const asked = await queries
    .updateTable('journal')
    .set({ resumed_by: by, resume_line: BigInt(line) })
    .where('state', '<>', 'running')
    .returning('id')
    .execute()
  return asked.length === 1
}

/** Clears the request to resume: the journal has recorded it. */
export async function markResumed(queries: Queries): Promise<void> {
  await queries.updateTable('journal').set({ state: 'running', resumed_by: null, resume_line: null }).execute()
}

/** Drops a request that the journal has recorded already: this database is an older copy. Signing stays stopped. */
export async function dropResume(queries: Queries): Promise<void> {
  await queries.updateTable('journal').set({ resumed_by: null, resume_line: null }).execute()
}
