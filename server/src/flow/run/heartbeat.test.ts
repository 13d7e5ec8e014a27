/** A worker whose connection goes silent is soon dead for the others, and stops itself sooner. */

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { startWire } from '../../../../tests/support/database/stallable-connection.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { type Database, openDatabase } from '../../store/db/database.ts'
import { isWorkerGone } from '../../store/db/jobs.ts'
import { openHeartbeat } from './heartbeat.ts'

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

const FAST = { beatMs: 50, answerMs: 1_000, silenceMs: 4_000 }

test('a silent connection frees the worker’s jobs, and the worker knows it first', async () => {
  const wire = await startWire(own.url)
  const name = randomUUID()
  const told: string[] = []
  const life = await openHeartbeat(wire.url, (error) => told.push(error.message), FAST)
  await life.show(name)
  expect(await isWorkerGone(database, name)).toBe(false)
  wire.cut()
  await eventually(async () => told.length > 0, 'the worker to notice')
  expect(await isWorkerGone(database, name), 'not taken over while it might still work').toBe(false)
  await eventually(() => isWorkerGone(database, name), 'the database to end the session')
  expect(told).toHaveLength(1)
  await life.end()
  await wire.stop()
})

test('one that speaks keeps its lock for longer than the silence that would end it', async () => {
  const name = randomUUID()
  const told: string[] = []
  const life = await openHeartbeat(own.url, (error) => told.push(error.message), { ...FAST, silenceMs: 1_500 })
  await life.show(name)
  // The database's own clock shows when two silences have passed.
  const clock = new pg.Client({ connectionString: own.url })
  await clock.connect()
  await clock.query('select pg_sleep(3)')
  expect(await isWorkerGone(database, name)).toBe(false)
  expect(told).toEqual([])
  await life.end()
  expect(await isWorkerGone(database, name)).toBe(true)
  await clock.end()
})
