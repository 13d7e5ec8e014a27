/**
 * The connection to PostgreSQL: pools, numbers parsed as bigint, and migrations, which run under the Migrator's lock.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import { Kysely, PostgresDialect, type PostgresPool, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { readMigrations, refuseForeignSchema } from './migrations.ts'
import { prepareStatements } from './prepared-statements.ts'
import type { Schema } from './schema.ts'
import { requireSessions, setTimeouts } from './session.ts'

export type Database = Kysely<Schema>
/** Either the pool or a transaction: queries work with both. */
export type Queries = Database | Transaction<Schema>

/** Runs the work in the caller's transaction, or in a new one. */
export async function inTransaction<Result>(
  queries: Queries,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  return queries.isTransaction ? work(queries) : queries.transaction().execute(work)
}

const INT8 = 20
const NUMERIC = 1700
/**
 * Connections for jobs, schedules and the market. The API and the watchers have separate pools. PostgreSQL's default
 * limit is 100.
 */
const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 5_000
/** No query of ours should run longer. A longer one must not block a job queue forever. */
const STATEMENT_TIMEOUT_MS = 30_000
/** How much longer than the database's own timeout a client waits: its connection may have dropped silently. */
const WIRE_PATIENCE_MS = 5_000
const KEEPALIVE_MS = 10_000
/** A process that hangs inside a transaction must not hold its locks forever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000
/** Migrations may take this long. Other processes that start meanwhile wait for the same time. */
const MIGRATION_TIMEOUT_MS = 3_600_000
const MIGRATING_CONNECTIONS = 2
/**
 * A migration that waits for a table makes everybody after it wait, too. So it gives way after this long, and tries again
 * after a pause.
 */
const MIGRATION_LOCK_MS = 1_000
const MIGRATION_PAUSE_MS = 500

/** Tests pass their own pool, which fails on demand. */
export function openDatabase(url: string, pool: PostgresPool = openPool(url)): Database {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

export function openPool(
  url: string,
  max = POOL_SIZE,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  lockTimeoutMs?: number,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: statementTimeoutMs + WIRE_PATIENCE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    onConnect: setTimeouts(statementTimeoutMs, IDLE_IN_TRANSACTION_TIMEOUT_MS, lockTimeoutMs),
    types: { getTypeParser },
  })
  // Without this listener, a connection that PostgreSQL closes between two queries would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    prepareStatements(client)
  })
  return pool
}

/** Settings of the server under which a committed transaction may be lost in a power failure; empty if there are none. */
export async function unsafeSettings(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') and setting = 'off'
  `.execute(queries)
  return rows.map(({ name, setting }) => `${name} = ${setting}`)
}

/** Throws if a pooler in front of the database shares our connections with others. */
async function requireOwnSessions(url: string): Promise<void> {
  const database = openDatabase(url, openPool(url, MIGRATING_CONNECTIONS))
  try {
    await requireSessions(database)
  } finally {
    await database.destroy()
  }
}

/** Refuses a database that the service cannot use, and brings its schema and that of the job queue up to date. */
export async function prepareDatabase(url: string): Promise<void> {
  await requireOwnSessions(url)
  await migrateJobs(url)
  await bringUp(url)
}

/** Uses a pool with timeouts, so that a database that accepts connections but does not answer is reported too. */
async function migrateJobs(url: string): Promise<void> {
  const pgPool = openPool(url, 1)
  try {
    await runMigrations({ pgPool })
  } finally {
    await pgPool.end()
  }
}

/**
 * Runs the migrations with a separate timeout: building an index over years of swaps takes longer than any query may.
 * Processes of the release before go on meanwhile, so a migration may deadlock with them: then it is tried again.
 */
export async function bringUp(url: string): Promise<void> {
  const deadline = performance.now() + MIGRATION_TIMEOUT_MS
  const pool = openPool(url, MIGRATING_CONNECTIONS, MIGRATION_TIMEOUT_MS, MIGRATION_LOCK_MS)
  const database = openDatabase(url, pool)
  try {
    while (!(await migrateUnlessBlocked(database))) {
      if (performance.now() > deadline)
        throw new Error('the migrations found no moment at which their tables were free')
      await sleep(MIGRATION_PAUSE_MS)
    }
  } finally {
    await database.destroy()
  }
}

/** False if another session was in the way. All migrations run in one transaction, so none has run then. */
async function migrateUnlessBlocked(database: Database): Promise<boolean> {
  try {
    await migrate(database)
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && BLOCKED.includes(error.code ?? '')) return false
    throw error
  }
}

/** PostgreSQL's codes of a deadlock and of a lock timeout. */
const BLOCKED = ['40P01', '55P03']

export async function migrate(database: Database): Promise<void> {
  await refuseForeignSchema(database)
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: readMigrations },
    // Files are numbered by subject, so a new one may have a lower number than one that has run already.
    allowUnorderedMigrations: true,
  })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 || oid === NUMERIC) return (text: string) => BigInt(text)
  return pg.types.getTypeParser(oid, format as 'text')
}

/**
 * Whether the database rejected the query. Such an error aborts the transaction: PostgreSQL would answer the commit
 * with a silent rollback.
 */
export function isQueryError(error: unknown): boolean {
  return error instanceof pg.DatabaseError
}

/** A text from outside, such as a node's error, as the database can store it: without NUL or half characters. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '')
}

/** Runs work in a savepoint: if it fails, only its own changes are rolled back. */
export async function undoable(queries: Queries, work: () => Promise<void>): Promise<void> {
  await sql`savepoint item`.execute(queries)
  try {
    await work()
  } catch (error) {
    await sql`rollback to savepoint item`.execute(queries)
    throw error
  }
  await sql`release savepoint item`.execute(queries)
}

/**
 * Whether the error is temporary and says nothing about the query: a dropped connection, a lock timeout, a cancelled
 * statement, a full disk. Decided by PostgreSQL's error classes and the system's error codes.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  return (typeof code === 'string' && /^(08|40|53|55|57|58|E[A-Z]+$)/.test(code)) || BROKEN.test(error.message)
}

/** The driver's messages for a lost or refused connection. */
const BROKEN = /connection (terminated|ended|error)|timeout exceeded when trying to connect|not queryable/i
