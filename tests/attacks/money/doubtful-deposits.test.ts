/** A deposit that a chain adapter doubts is kept for review, and no swap is paid for it, whatever it names. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'
import { seeDeposit } from '../../support/service/progress.ts'

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

test.each([
  ['the number of a swap', false],
  ['a deposit address', true],
])('by %s', async (_, useDepositAddress) => {
  const { view } = await hand.swap('ALPHA', 'BETA', { useDepositAddress })
  const { database: db } = hand.services
  const depositId = await seeDeposit(hand.services, view.swap.id, { doubt: 'it comes in pieces' })
  const deposit = db.selectFrom('deposit').select(['swap_id', 'state']).where('id', '=', depositId)
  expect(await deposit.executeTakeFirst()).toEqual({ swap_id: null, state: 'seen' })
  const trusted = await seeDeposit(hand.services, view.swap.id)
  const other = db.selectFrom('deposit').select('swap_id').where('id', '=', trusted)
  expect(await other.executeTakeFirst()).toEqual({ swap_id: view.swap.id })
})
