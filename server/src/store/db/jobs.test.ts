/** Waiting jobs are timed by the database's clock, not by the clock of the process. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { addJob } from './jobs.ts'

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
