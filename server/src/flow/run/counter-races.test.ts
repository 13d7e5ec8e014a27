/** The counters of processes while slots are handed out: a healthy database must never look as if it went back in time. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { insertJournalRow, readJournalRow } from '../../store/journal/journal-row.ts'
import { addWriter, endOtherSigners } from '../../store/journal/writers.ts'
import { inCountedTransaction } from '../journal/stop-signing.ts'
import { beat } from './counters.ts'

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await insertJournalRow(hand.services.database, randomUUID(), randomUUID())
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

test('a slot that is handed out during a heartbeat does not stop signing', async () => {
  const { services } = hand
  const db = services.database
  let beaten: Promise<void> = Promise.resolve()
  // The heartbeat has counted, and waits for its next question while a slot is handed out.
  await db.transaction().execute(async (queries) => {
    await sql`lock table journal in access exclusive mode`.execute(queries)
    beaten = beat(services, () => undefined)
    await eventually(async () => {
      const blocked = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return (await blocked.execute(db)).rows.length > 0
    }, 'the heartbeat waits')
    await inCountedTransaction(services, async () => undefined)
  })
  await beaten
  expect([services.signing.stopped, services.journal.state(), (await readJournalRow(db))?.state]).toEqual([
    null,
    'running',
    'running',
  ])
})

test('heartbeats beside a busy wallet do not stop signing', async () => {
  const { services } = hand
  let isOver = false
  const busy = async () => {
    while (!isOver && services.signing.stopped === null) await inCountedTransaction(services, async () => undefined)
  }
  const lanes = [busy(), busy(), busy()]
  for (let beats = 0; beats < 300 && services.signing.stopped === null; beats++) await beat(services, () => undefined)
  isOver = true
  await Promise.allSettled(lanes)
  expect(services.signing.stopped).toBeNull()
})

test('a process that another one has replaced stops itself only', async () => {
  const { services } = hand
  const db = services.database
  await db.updateTable('writer').set({ signs: true }).where('id', '=', services.signing.writer).execute()
  const successor = randomUUID()
  await addWriter(db, successor, true)
  await endOtherSigners(db, successor)
  // It stood still meanwhile, and goes on with the payout that it was about to begin.
  await inCountedTransaction(services, async () => undefined).catch(() => undefined)
  expect((await readJournalRow(db))?.state).toBe('running')
})
