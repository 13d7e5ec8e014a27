/** The connection to PostgreSQL: pools, numbers parsed as bigint, migrations run under the Migrator's own lock. */
import { promises as fs } from 'node:fs'
import path from 'node:path'
import { Kysely, PostgresDialect, type PostgresPool, sql, type Transaction } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import pg from 'pg'
import { prepareStatements } from './prepared-statements.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
/** Either the pool or a transaction: queries do not care. */
export type Queries = Database | Transaction<Schema>

/** In the caller's transaction, or in one of its own. */
export async function inTransaction<Result>(
  queries: Queries,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  return queries.isTransaction ? work(queries) : queries.transaction().execute(work)
}

const MIGRATIONS = path.join(import.meta.dirname, '../../../migrations')
const INT8 = 20
const NUMERIC = 1700
/** For lanes, housekeeping and the market; who answers clients and who watches have pools apart. PostgreSQL's default limit is 100. */
const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 5_000
/** No query of ours is meant to run longer; one that does must not hold a lane for ever. */
const STATEMENT_TIMEOUT_MS = 30_000
/** For a connection that dropped silently: no caller waits much longer than the database would work. */
const WIRE_PATIENCE_MS = 5_000
const KEEPALIVE_MS = 10_000
/** A process that stands still in the middle of a transaction must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000
/** Others that start meanwhile wait for it as long. */
const MIGRATION_TIMEOUT_MS = 3_600_000
const MIGRATING_CONNECTIONS = 2

/** Tests bring a pool of their own that fails on demand. */
export function openDatabase(url: string, pool: PostgresPool = openPool(url)): Database {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
}

export function openPool(url: string, max = POOL_SIZE, statementTimeoutMs = STATEMENT_TIMEOUT_MS): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + WIRE_PATIENCE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    types: { getTypeParser },
  })
  // Without a listener a connection that PostgreSQL closes between two queries would end the process; the next one fails.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    prepareStatements(client)
  })
  return pool
}

/** As a service does before anything else: building an index over years of swaps takes longer than any query may. */
export async function bringUp(url: string): Promise<void> {
  const database = openDatabase(url, openPool(url, MIGRATING_CONNECTIONS, MIGRATION_TIMEOUT_MS))
  try {
    await migrate(database)
  } finally {
    await database.destroy()
  }
}

/** The first file of `migrations`: every database that these files created has run it. */
const FIRST_MIGRATION = '0001_network'

/** The database was created by the files from before the schema was squashed, and no file leads from there to today's schema. */
class OutdatedSchema extends Error {
  readonly code = 'OUTDATED_SCHEMA'

  constructor() {
    super('this database was created by a version from before the schema was squashed: create a new one')
  }
}

export async function migrate(database: Database): Promise<void> {
  await refuseOutdated(database)
  const migrator = new Migrator({ db: database, provider: { getMigrations: readMigrations } })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

async function refuseOutdated(database: Database): Promise<void> {
  const { rows: tables } = await sql`
    select from information_schema.tables
    where table_schema = current_schema() and table_name = ${DEFAULT_MIGRATION_TABLE}`.execute(database)
  if (tables.length === 0) return
  const { rows: done } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  )
  if (done.length > 0 && !done.some(({ name }) => name === FIRST_MIGRATION)) throw new OutdatedSchema()
}

async function readMigrations() {
  const files = (await fs.readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).sort()
  return Object.fromEntries(
    files.map((file) => [
      path.basename(file, '.sql'),
      {
        async up(database: Kysely<unknown>): Promise<void> {
          await sql.raw(await fs.readFile(path.join(MIGRATIONS, file), 'utf8')).execute(database)
        },
      },
    ]),
  )
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8 || oid === NUMERIC) return (text: string) => BigInt(text)
  return pg.types.getTypeParser(oid, format as 'text')
}

/** A failed query spoils its transaction: PostgreSQL would answer the commit by rolling back, without a word. */
export function isQueryError(error: unknown): boolean {
  return error instanceof pg.DatabaseError
}

/** Work inside a transaction of which nothing stays where it fails, while all that was done before it does. */
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
 * Whether an error says nothing about what was asked: a connection that broke, a lock that was not got, a statement that was
 * cancelled, a disk that is full. By the classes of PostgreSQL's codes and by the names of the system's.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  return (typeof code === 'string' && /^(08|40|53|55|57|58|E[A-Z]+$)/.test(code)) || BROKEN.test(error.message)
}

/** How the driver says that it lost a connection or could not get one. */
const BROKEN = /connection (terminated|ended|error)|timeout exceeded when trying to connect|not queryable/i
