/**
 * Prepares frequent statements once per connection (docs/decisions/0007): marked ones, and those that this process ran
 * many times. PostgreSQL then parses and plans them once, and still plans for the parameters if that is cheaper.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'

const MARK = '/* planned once */'
/** Marks a statement: at its start, or after its `select` (`modifyFront`). */
export const PREPARED_STATEMENTS = sql.raw(`${MARK} `)

/** Length of a statement's name; PostgreSQL allows 63 characters. */
const NAME_LENGTH = 32
const FEATURE_NOT_SUPPORTED = '0A000'
const SERIALIZATION_FAILURE = '40001'
const IN_FAILED_TRANSACTION = '25P02'
/** A statement is frequent after this many runs in this process. Every connection keeps a plan per name, so names are bounded. */
const OFTEN = 10
const MOST_NAMES = 250
/** Longer statements contain lists, so they rarely repeat and are not prepared. */
const LONGEST = 4_000

type Query = (text: unknown, values?: unknown, ...more: unknown[]) => Promise<unknown>

/** Makes a connection prepare marked and frequent statements. */
export function prepareStatements(client: pg.PoolClient): void {
  const query: Query = client.query.bind(client)
  const planned: Query = (text, values, ...more) => {
    const isIt =
      typeof text === 'string' && more.length === 0 && (isMarked(text) || (hasValues(values) && isFrequent(text)))
    return isIt ? runNamed(query, text, values) : query(text, values, ...more)
  }
  client.query = planned as typeof client.query
}

function isMarked(text: string): boolean {
  return text.startsWith(MARK) || text.startsWith(`select ${MARK}`)
}

function hasValues(values: unknown): boolean {
  return Array.isArray(values) && values.length > 0
}

/** Number of runs per statement that has no name yet. */
const runs = new Map<string, number>()

function isFrequent(text: string): boolean {
  if (names.has(text)) return true
  if (text.length > LONGEST || names.size >= MOST_NAMES) return false
  const count = (runs.get(text) ?? 0) + 1
  if (count >= OFTEN) {
    runs.delete(text)
    return true
  }
  // Bounds the memory for statements that run only once.
  if (runs.size >= MOST_NAMES * OFTEN) runs.clear()
  runs.set(text, count)
  return false
}

async function runNamed(query: Query, text: string, values: unknown): Promise<unknown> {
  try {
    return await query({ name: nameOf(text), text, values })
  } catch (error) {
    if (!isOutdated(error)) throw error
    renew(text)
    return query({ name: nameOf(text), text, values }).catch((second: unknown) => {
      // The transaction has failed: report a conflict, so that its owner retries it.
      if (second instanceof pg.DatabaseError && second.code === IN_FAILED_TRANSACTION)
        second.code = SERIALIZATION_FAILURE
      throw second
    })
  }
}

/** Another process has migrated the database: `select *` has other columns than when it was prepared. */
function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED && /cached plan/.test(error.message)
}

/** A statement gets a new name each time a migration outdates it. */
const names = new Map<string, { name: string; renewals: number }>()

function nameOf(text: string): string {
  return (names.get(text) ?? remember(text, 0)).name
}

function renew(text: string): void {
  remember(text, (names.get(text)?.renewals ?? 0) + 1)
}

function remember(text: string, renewals: number) {
  const name = createHash('sha256').update(`${renewals} ${text}`).digest('hex').slice(0, NAME_LENGTH)
  const entry = { name, renewals }
  names.set(text, entry)
  return entry
}
