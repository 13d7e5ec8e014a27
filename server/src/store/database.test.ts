/** A connection that PostgreSQL ends costs the transaction it was in, and nothing else. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Database, openDatabase } from './database.ts'

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

test('a process that stands still in a transaction does not hold its locks for ever', async () => {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::int * 1000 as ms`.execute(
    database,
  )
  expect(rows[0]?.ms).toBeGreaterThan(0)
})

test('a connection that is ended between two statements fails the transaction, and the next one gets another', async () => {
  const doomed = database.transaction().execute(async (queries) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(queries)
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database)
    await sql`select 1`.execute(queries)
  })
  await expect(doomed).rejects.toThrow()
  expect((await sql`select 1 as one`.execute(database)).rows).toEqual([{ one: 1 }])
})
