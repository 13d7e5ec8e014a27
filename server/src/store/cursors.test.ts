/** Where a network is read from, while others ask for a second look. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { readPosition, requestRecheck, savePosition } from './cursors.ts'

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

test('a look that was asked for while blocks were read is not forgotten when they are stored', async () => {
  const { database: db } = hand.services
  const save = (recheckFrom: bigint | null, number: bigint) =>
    savePosition(db, 'ALPHA', { cursor: 'here', recheckFrom }, { number, hash: `h${number}` }, new Date())
  const recheck = async () => (await readPosition(db, 'ALPHA'))?.recheckFrom
  await save(null, 10n)
  await requestRecheck(db, 'ALPHA', 5n)
  await save(null, 11n)
  expect(await recheck()).toBe(5n)
  await save(3n, 12n)
  expect(await recheck()).toBe(3n)
  await save(8n, 13n)
  expect(await recheck()).toBe(3n)
})
