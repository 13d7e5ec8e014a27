/**
 * An attacker who gets payouts that are not theirs gets at most an hour's limit, then nothing until an operator has
 * checked, even if the operator set no limit.
 */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { requeueMissingJobs } from '../../../server/src/flow/run/requeue.ts'
import { setLimit } from '../../../server/src/store/limits/safeguards.ts'
import type { CreatedSwap } from '../../../server/src/swaps/create-swap.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { holdOf } from '../../support/service/holds.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DEEP = 6
/** Twenty of the largest swaps: the default hourly limit of a network. */
const USUAL = 20

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  const mainnet = { ENVIRONMENT: 'mainnet', MIN_SWAP_USD: '1', MAX_SWAP_USD: '50' }
  hand = await startHand(database.url, mainnet)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const alerts = async () => (await hand.services.metrics.alerts.get()).values[0]?.value ?? 0

const payouts = () => hand.services.database.selectFrom('payout').select(['id', 'started']).orderBy('id').execute()

test('twenty of the largest swaps leave a network in an hour, and the next ones when the hour is over', async () => {
  expect(hand.services.config.hourlyOutflowUsd).toBe(1_000)
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < USUAL + 2; made++) swaps.push(await hand.swap(FROM, TO))
  for (const swap of swaps) hand.deposit(swap)
  hand.chain(FROM).mine(DEEP)
  await hand.watch(FROM)
  await hand.runJobs()
  const first = await payouts()
  expect(first.filter(({ started }) => started)).toHaveLength(USUAL)
  const held = first.filter(({ started }) => !started)
  const holds = await Promise.all(held.map(({ id }) => holdOf(hand.services.database, id)))
  expect(holds).toEqual(Array(2).fill({ code: 'outflow_limit' }))
  // One alert for both.
  expect(await alerts()).toBe(1)
  // A payout that may still be mined counts against the limit, so sent ones finish first.
  for (let turn = 0; turn < 2; turn++) {
    hand.chain(TO).mine(DEEP)
    await hand.watch(TO)
  }
  hand.passTime(2 * 3_600_000)
  // Limits use the database's clock.
  const before = new Date(Date.now() - 2 * 3_600_000)
  await hand.services.database.updateTable('payout').set({ started_at: before }).where('started', '=', true).execute()
  await hand.services.database.updateTable('slot').set({ created_at: before }).execute()
  await hand.services.refresh()
  await requeueMissingJobs(hand.services)
  await hand.runJobs()
  expect((await payouts()).filter(({ started }) => !started)).toEqual([])
})

test('a second alert comes only when the limit is reached again, an hour later at the earliest', async () => {
  const reach = async (count: number) => {
    const swaps: CreatedSwap[] = []
    for (let made = 0; made < count; made++) swaps.push(await hand.swap(FROM, TO))
    for (const swap of swaps) hand.deposit(swap)
    hand.chain(FROM).mine(DEEP)
    await hand.watch(FROM)
    await hand.runJobs()
  }
  const held = async () => (await payouts()).filter(({ started }) => !started).length
  // Two payouts of the last hour already count.
  await reach(USUAL)
  expect([await held(), await alerts()]).toEqual([2, 2])
  await reach(1)
  expect([await held(), await alerts()]).toEqual([3, 2])
  // A higher limit lets them go; a lower one is reached within the hour.
  const { database: db } = hand.services
  await setLimit(db, 'hourly_outflow', `network:${TO}`, 1_500n * 10n ** 18n)
  await hand.runJobs()
  expect([await held(), await alerts()]).toEqual([0, 2])
  await setLimit(db, 'hourly_outflow', `network:${TO}`, 1_000n * 10n ** 18n)
  await reach(1)
  expect([await held(), await alerts()]).toEqual([1, 2])
})
