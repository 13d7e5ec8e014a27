/** The files of `migrations`, and which of them a database has run. */
import { promises as fs } from 'node:fs'
import path from 'node:path'
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, type Migration } from 'kysely/migration'

const FOLDER = path.join(import.meta.dirname, '../../../migrations')
/** The first file of `migrations`: every database that these files created has run it. */
const FIRST = '0001_network'

export interface MigrationState {
  /** Files that have not run yet. */
  missing: string[]
  /** Migrations of the database that have no file here: a newer version made them. */
  unknown: string[]
}

/** The database was created before the schema was squashed. No migration leads from there to the present schema. */
class OutdatedSchema extends Error {
  readonly code = 'OUTDATED_SCHEMA'

  constructor() {
    super('this database was created by a version from before the schema was squashed: create a new one')
  }
}

/** A newer version has run on this database. This one would not understand its rows. */
class NewerSchema extends Error {
  readonly code = 'NEWER_SCHEMA'

  constructor(unknown: readonly string[]) {
    super(`this database has migrations that this version does not know: ${unknown.join(', ')}`)
  }
}

export async function readMigrationState(queries: QueryExecutorProvider): Promise<MigrationState> {
  const [files, done] = await Promise.all([listFiles(), listDone(queries)])
  if (done.length > 0 && !done.includes(FIRST)) throw new OutdatedSchema()
  return {
    missing: files.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !files.includes(name)),
  }
}

/** Throws if this version cannot work on the database. */
export async function refuseForeignSchema(queries: QueryExecutorProvider): Promise<void> {
  const { unknown } = await readMigrationState(queries)
  if (unknown.length > 0) throw new NewerSchema(unknown)
}

export async function readMigrations(): Promise<Record<string, Migration>> {
  return Object.fromEntries(
    (await listFiles()).map((name) => [
      name,
      {
        async up(database: Kysely<unknown>): Promise<void> {
          await sql.raw(await fs.readFile(path.join(FOLDER, `${name}.sql`), 'utf8')).execute(database)
        },
      },
    ]),
  )
}

async function listFiles(): Promise<string[]> {
  const files = (await fs.readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort()
  return files.map((file) => path.basename(file, '.sql'))
}

async function listDone(queries: QueryExecutorProvider): Promise<string[]> {
  const { rows: tables } = await sql`
    select from information_schema.tables
    where table_schema = current_schema() and table_name = ${DEFAULT_MIGRATION_TABLE}`.execute(queries)
  if (tables.length === 0) return []
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(queries)
  return rows.map(({ name }) => name)
}
