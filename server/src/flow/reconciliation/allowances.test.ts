/**
 * The allowance of a wallet is per time, not per check: otherwise a thief would take exactly that amount at each check.
 */

import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { haltCauses } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { reconcile } from './reconcile.ts'

const NETWORK = 'ALPHA'
const FINAL = 6
const DAY_MS = 24 * 3_600_000
/** The same values as TON. */
const UPKEEP = 50_000_000n
let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await looks()
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})
const chain = () => chainOf(hand.services.chains, NETWORK)
const halts = async () => (await haltCauses(hand.services.database)).flat()
const missing = (units: bigint) => ({ code: 'shortfall', token: 'native', symbol: 'SIM', units: `${units}` })

async function looks(): Promise<void> {
  for (let look = 0; look < 3; look++) {
    await reconcile(hand.services)
    hand.chain(NETWORK).mine(FINAL + 1)
    await hand.watch(NETWORK)
  }
}

async function lose(units: bigint): Promise<void> {
  hand.chain(NETWORK).mint(chain().treasury, null, -units)
  await looks()
}

test('small thefts are noticed as soon as they are more than a day of rent', async () => {
  chain().allowances = { rentUnitsPerDay: UPKEEP, setupUnits: 0n, receiptUnits: 0n }
  await lose(UPKEEP)
  expect(await halts()).toEqual([])
  hand.passTime(60_000)
  await lose(UPKEEP)
  expect(await halts()).toEqual([missing(UPKEEP)])
})

test('rent is allowed every day, and the allowance recovers with time', async () => {
  chain().allowances = { rentUnitsPerDay: UPKEEP, setupUnits: 0n, receiptUnits: 0n }
  await lose(UPKEEP)
  hand.passTime(DAY_MS)
  await lose(UPKEEP)
  hand.passTime(DAY_MS / 2)
  await lose(UPKEEP / 2n)
  // However long nothing was taken, the allowance is one day's share.
  hand.passTime(10 * DAY_MS)
  await lose(UPKEEP)
  expect(await halts()).toEqual([])
  await lose(1n)
  expect(await halts()).toEqual([missing(1n)])
})

test('the account-setup allowance is used once, ever', async () => {
  chain().allowances = { rentUnitsPerDay: 0n, setupUnits: 1_000n, receiptUnits: 0n }
  await lose(700n)
  await lose(300n)
  expect(await halts()).toEqual([])
  hand.passTime(10 * DAY_MS)
  await lose(1n)
  expect(await halts()).toEqual([missing(1n)])
})
