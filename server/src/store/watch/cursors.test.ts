/** From which block a network is scanned, and from which block payouts must be rechecked. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { clearRecheck, readPosition, savePosition } from './cursors.ts'

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

test('a reorg is remembered until it was processed, however much is read meanwhile', async () => {
  const { database: db } = hand.services
  const save = (recheckFrom: bigint | null, number: bigint) =>
    savePosition(db, 'ALPHA', { cursor: 'here', recheckFrom }, { number, hash: `h${number}` }, new Date())
  const recheck = async () => (await readPosition(db, 'ALPHA'))?.recheckFrom
  await save(5n, 10n)
  await save(null, 11n)
  expect(await recheck()).toBe(5n)
  await save(3n, 12n)
  expect(await recheck()).toBe(3n)
  await save(8n, 13n)
  expect(await recheck()).toBe(3n)
  await clearRecheck(db, 'ALPHA', 5n)
  expect(await recheck()).toBe(3n)
  await clearRecheck(db, 'ALPHA', 3n)
  expect(await recheck()).toBeNull()
})
