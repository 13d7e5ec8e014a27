/** A clock that is set hours ahead while the process runs: between two comparisons with the database nothing is decided by it. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { createClock } from '../../market/clock.ts'
import { createScheduler } from './scheduler.ts'

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

it('expires no swap in the round after the jump', async () => {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const clock = createClock({ ...hand.services, now })
  const services = { ...hand.services, clock, now }
  await hand.swap('ALPHA', 'BETA')
  await clock.check()
  expect(clock.isTrusted()).toBe(true)
  // The scheduler's rounds come every second, the next comparison within three.
  aheadMs = 7 * 24 * 3_600_000
  await createScheduler(services).turn()
  const swap = await services.database.selectFrom('swap').select('status').executeTakeFirstOrThrow()
  expect(swap).toEqual({ status: 'user_transfer_pending' })
})
