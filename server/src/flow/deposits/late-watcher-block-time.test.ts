/** If the watcher was late, the block's timestamp decides whether a deposit arrived in its quote's term. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'

const MINUTE = 60_000
const DEEP = 6

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(() => {
  delete chainOf(hand.services.chains, 'ALPHA').blockTimes
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

/** A swap of 50 dollars, deposited at once and seen after twenty minutes. A quote is valid for fifteen. */
async function seenLate(blockTime?: () => Promise<Date>) {
  const { services } = hand
  const swap = await hand.swap('ALPHA', 'BETA')
  const quoted = swap.view.swap.quote
  hand.deposit(swap)
  hand.passTime(20 * MINUTE)
  const chain = chainOf(services.chains, 'ALPHA')
  if (blockTime) chain.blockTimes = { timeOf: blockTime }
  // The fee rose meanwhile: today's quote gives slightly less, but the old quote still applies.
  services.rules.push({ fee_bps: 50 })
  await services.refresh()
  hand.chain('ALPHA').mine(DEEP)
  await hand.watch('ALPHA')
  await hand.watch('ALPHA')
  services.rules.pop()
  const row = await services.database
    .selectFrom('swap')
    .selectAll()
    .where('id', '=', swap.view.swap.id)
    .executeTakeFirstOrThrow()
  expect(row.status).toBe('ls_transfer_pending')
  return row.quote?.receiveUnits === `${quoted?.receiveUnits}`
}

test('a late sighting is dated by its block, if that was in the term', async () => {
  const madeAt = hand.services.now()
  expect(await seenLate(async () => madeAt)).toBe(true)
})

test('a block after the term is late', async () => {
  expect(await seenLate(async () => new Date(hand.services.now().getTime() - MINUTE))).toBe(false)
})

test('a block from the future, or without a known time, is dated by the sighting', async () => {
  expect(await seenLate(async () => new Date(hand.services.now().getTime() + 60 * MINUTE))).toBe(false)
  expect(await seenLate()).toBe(false)
  expect(await seenLate(() => Promise.reject(new Error('pruned')))).toBe(false)
})
