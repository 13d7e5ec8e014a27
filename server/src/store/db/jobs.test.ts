/** Waiting jobs are timed by the database's clock, and none is lost to a worker that takes it at the same moment. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import type { Queries } from './database.ts'
import { addJob, deferPayJobs, hastenJob, requeueJob } from './jobs.ts'

const HOUR_MS = 3_600_000

let own: TestDatabase
let hand: Hand
beforeAll(async () => {
  own = await startDatabase()
  hand = await startHand(own.url, { PAYOUT_PATIENCE_SECONDS: '86400' })
})
afterAll(async () => {
  await hand.stop()
  await own.stop()
})

test.each([2 * HOUR_MS, -4 * HOUR_MS])(
  'a payout that waits is tried again soon by a process whose clock is %i ms off',
  async (ms) => {
    hand.passTime(ms)
    await hand.services.refresh()
    const swap = await hand.swap('ALPHA', 'BETA')
    hand.chain('BETA').blocked.add(swap.view.swap.destinationAddress)
    hand.deposit(swap)
    hand.chain('ALPHA').mine(2)
    await hand.watch('ALPHA')
    await hand.runJobs()
    const { rows } = await sql<{ wait: number }>`
    select extract(epoch from run_at - now())::float as wait from graphile_worker._private_jobs`.execute(
      hand.services.database,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]?.wait).toBeGreaterThan(-60)
    expect(rows[0]?.wait).toBeLessThan(60)
    await sql`delete from graphile_worker._private_jobs`.execute(hand.services.database)
  },
)

test('a job that is requested repeatedly keeps its place in the queue', async () => {
  const { database } = hand.services
  const job = (txHash: string) => ({ task: 'inspect', payload: { network: 'x', txHash }, lane: 'hint:x' }) as const
  await addJob(database, job('first'))
  await addJob(database, job('second'))
  for (let time = 0; time < 3; time++) await addJob(database, job('first'))
  const { rows } = await sql<{ key: string }>`
    select key from graphile_worker._private_jobs order by priority, run_at, id`.execute(database)
  expect(rows.map(({ key }) => key)).toEqual(['inspect:x:first', 'inspect:x:second'])
  await addJob(database, job('first'), { inMs: HOUR_MS })
  await addJob(database, job('first'))
  const { rows: later } = await sql<{ due: boolean }>`
    select run_at <= now() as due from graphile_worker._private_jobs where key = 'inspect:x:first'`.execute(database)
  expect(later).toEqual([{ due: true }])
  await sql`delete from graphile_worker._private_jobs`.execute(database)
})

const LANE = 'pay:ALPHA:wallet'
const PAYOUT = '00000000-0000-4000-8000-000000000001'
const WAYS: Record<string, (queries: Queries) => Promise<void>> = {
  added: (queries) => addJob(queries, { task: 'pay', payload: { payoutId: PAYOUT }, lane: LANE }),
  requeued: (queries) => requeueJob(queries, PAYOUT, LANE),
  hastened: (queries) => hastenJob(queries, PAYOUT, LANE, 'first'),
  deferred: (queries) => deferPayJobs(queries, [PAYOUT], LANE, 1_000),
}

test.each(Object.keys(WAYS))('a job that a worker takes while it is %s runs once more', async (way) => {
  const { database } = hand.services
  await WAYS.added?.(database)
  let asked: Promise<void> | undefined
  // As a worker does, whose commit takes a moment.
  await database.transaction().execute(async (worker) => {
    await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker', attempts = attempts + 1
      where key = ${`pay:${PAYOUT}`}`.execute(worker)
    asked = WAYS[way]?.(database)
    await eventually(async () => {
      const blocked = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return (await blocked.execute(database)).rows.length > 0
    }, 'the queue waits for the worker')
  })
  await asked
  const { rows } = await sql<{ isTaken: boolean }>`
    select locked_at is not null as "isTaken" from graphile_worker._private_jobs order by id`.execute(database)
  expect(rows).toEqual([{ isTaken: true }, { isTaken: false }])
  await sql`delete from graphile_worker._private_jobs`.execute(database)
})
