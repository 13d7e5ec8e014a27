/** If PostgreSQL closes a connection, only its current transaction fails. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { startupErrors } from '../../observe/startup-errors.ts'
import { bringUp, type Database, isPassing, openDatabase, type Queries } from './database.ts'
import { PREPARED_STATEMENTS } from './prepared-statements.ts'

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
  database = openDatabase(own.url)
})
afterAll(async () => {
  await database.destroy()
  await own.stop()
})

test('a process that hangs in a transaction does not hold its locks for ever', async () => {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::int * 1000 as ms`.execute(
    database,
  )
  expect(rows[0]?.ms).toBeGreaterThan(0)
})

test('a connection closed between two statements fails the transaction, and the next gets another', async () => {
  const doomed = database.transaction().execute(async (queries) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(queries)
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database)
    await sql`select 1`.execute(queries)
  })
  await expect(doomed).rejects.toThrow()
  expect((await sql`select 1 as one`.execute(database)).rows).toEqual([{ one: 1 }])
})

test('a database gets a migration whose number is lower than that of one it has run', async () => {
  const url = await own.createEmpty()
  await bringUp(url)
  const fresh = openDatabase(url)
  const hasColumn = async () => {
    const { rows } = await sql`select from information_schema.columns where column_name = 'resume_line'`.execute(fresh)
    return rows.length > 0
  }
  try {
    await sql`alter table journal drop column resume_line`.execute(fresh)
    await sql`delete from kysely_migration where name like '0060%'`.execute(fresh)
    await bringUp(url)
    expect(await hasColumn()).toBe(true)
  } finally {
    await fresh.destroy()
  }
})

test('a migration gives way while a table is in use, and is tried again', async () => {
  const url = await own.createEmpty()
  await bringUp(url)
  const fresh = openDatabase(url)
  try {
    await sql`alter table journal drop column resume_line`.execute(fresh)
    await sql`delete from kysely_migration where name like '0060%'`.execute(fresh)
    let migrating = Promise.resolve()
    await fresh.transaction().execute(async (reader) => {
      await sql`select from journal`.execute(reader)
      migrating = bringUp(url)
      const waits = sql`select from pg_locks where relation = 'journal'::regclass and not granted`
      await eventually(async () => (await waits.execute(fresh)).rows.length > 0, 'the migration to wait')
      // The reader still holds its lock, and a reader behind the migration is served.
      await sql`select from journal`.execute(fresh)
    })
    await migrating
    await sql`select resume_line from journal`.execute(fresh)
  } finally {
    await fresh.destroy()
  }
})

test('a migration may take an hour, and a query half a minute', async () => {
  const url = await own.createEmpty()
  const fresh = openDatabase(url)
  try {
    await sql
      .raw(`create table told (timeout text);
      create function tell() returns event_trigger language plpgsql as $$
        begin insert into told values (current_setting('statement_timeout')); end $$;
      create event trigger telling on ddl_command_end when tag in ('CREATE INDEX') execute function tell()`)
      .execute(fresh)
    await bringUp(url)
    const { rows } = await sql<{ timeout: string }>`select distinct timeout from told`.execute(fresh)
    expect(rows).toEqual([{ timeout: '1h' }])
    expect((await sql`show statement_timeout`.execute(fresh)).rows).toEqual([{ statement_timeout: '30s' }])
  } finally {
    await fresh.destroy()
  }
})

test('a database created before the squash of migrations is refused in one line, a current one is not', async () => {
  const url = await own.createEmpty()
  await bringUp(url)
  await bringUp(url)
  const older = openDatabase(url)
  try {
    await sql`delete from kysely_migration`.execute(older)
    await sql`insert into kysely_migration (name, timestamp) values ('0001_swap', ''), ('0152_lifted', '')`.execute(
      older,
    )
    const failure = await bringUp(url).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'OUTDATED_SCHEMA' })
    expect(startupErrors(failure, { databaseUrl: 'postgres://ada:secret@db:5432/books', signerUrl: undefined })).toBe(
      'the database books at db:5432 was created by a version from before the schema was squashed: create a new one, or correct DATABASE_URL',
    )
  } finally {
    await older.destroy()
  }
})

test('a database that a newer version has migrated is refused in one line', async () => {
  const url = await own.createEmpty()
  await bringUp(url)
  const newer = openDatabase(url)
  try {
    await sql`insert into kysely_migration (name, timestamp) values ('9999_from_the_future', '')`.execute(newer)
    const failure = await bringUp(url).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'NEWER_SCHEMA' })
    expect(startupErrors(failure, { databaseUrl: 'postgres://ada:secret@db:5432/books', signerUrl: undefined })).toBe(
      'the database books at db:5432 was used by a newer version (this database has migrations that this version does not know: 9999_from_the_future): run that version, or restore a backup from before it',
    )
  } finally {
    await newer.destroy()
  }
})

test('a statement that is planned once outlives a migration by another process', async () => {
  const { schema } = database
  await schema.createTable('grown').addColumn('first', 'integer').execute()
  await sql`insert into grown values (1)`.execute(database)
  await database.connection().execute(async (queries) => {
    const again = async () => (await sql`${PREPARED_STATEMENTS}select * from grown`.execute(queries)).rows
    expect(await again()).toEqual([{ first: 1 }])
    await schema.alterTable('grown').addColumn('second', 'integer').execute()
    expect(await again()).toEqual([{ first: 1, second: null }])
    const { rows } = await sql`select from pg_prepared_statements where statement like '%from grown'`.execute(queries)
    expect(rows).toHaveLength(2)
  })
})

test('a statement that runs often is planned once, and a transaction that a migration breaks is retried', async () => {
  const { schema } = database
  await schema.createTable('busy').addColumn('first', 'integer').execute()
  await sql`insert into busy values (1)`.execute(database)
  const ask = async (queries: Queries) => (await sql`select * from busy where first = ${1}`.execute(queries)).rows
  const named = sql`select from pg_prepared_statements where statement like '%from busy%'`
  // The list of frequent statements belongs to the process: other test files may have filled it.
  vi.resetModules()
  const fresh = (await import('./database.ts')).openDatabase(own.url)
  await fresh.connection().execute(async (queries) => {
    await ask(queries)
    expect((await named.execute(queries)).rows).toHaveLength(0)
    for (let run = 0; run < 20; run++) await ask(queries)
    expect((await named.execute(queries)).rows).toHaveLength(1)
    await schema.alterTable('busy').addColumn('second', 'integer').execute()
    const failure = await queries
      .transaction()
      .execute(ask)
      .catch((error: unknown) => error)
    expect(isPassing(failure)).toBe(true)
    expect(await queries.transaction().execute(ask)).toEqual([{ first: 1, second: null }])
  })
  await fresh.destroy()
})
