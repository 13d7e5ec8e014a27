/**
 * Statements that each connection plans once and not every time, which can take longer than running them. For the few on a
 * request's path: their texts are fixed, and what they are given goes into parameters.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'

const MARK = '/* planned once */'
/** Begins such a statement, or stands behind its `select` (`modifyFront`). */
export const PLANNED_ONCE = sql.raw(`${MARK} `)

/** PostgreSQL takes up to 63. */
const NAME_LENGTH = 32
const FEATURE_NOT_SUPPORTED = '0A000'

type Query = (text: unknown, values?: unknown, ...more: unknown[]) => unknown

/** Has a connection plan marked statements once. */
export function planOnce(client: pg.PoolClient): void {
  const query: Query = client.query.bind(client)
  const planned: Query = (text, values, ...more) => {
    const isMarked = typeof text === 'string' && (text.startsWith(MARK) || text.startsWith(`select ${MARK}`))
    return isMarked ? runNamed(query, text, values) : query(text, values, ...more)
  }
  client.query = planned as typeof client.query
}

async function runNamed(query: Query, text: string, values: unknown): Promise<unknown> {
  try {
    return await query({ name: nameOf(text), text, values })
  } catch (error) {
    if (!isOutdated(error)) throw error
    renew(text)
    return query({ name: nameOf(text), text, values })
  }
}

/** Another process has migrated the database: `select *` has other columns than when it was planned. */
function isOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED && /cached plan/.test(error.message)
}

/** A few statements, each with a name for each time that it was outdated. */
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
