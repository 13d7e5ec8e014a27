/**
 * A deposit whose token lost its price is owed at the end of the window: an operator is alerted and may state the fee.
 */
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import type { AddressGiven } from '../../store/db/jobs.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { requeueMissingJobs } from '../run/requeue.ts'
import { expireSwaps } from './expire.ts'
import { setRefundAddress } from './set-refund-address.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
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

const alerts = async () => (await hand.services.metrics.alerts.get()).values[0]?.value ?? 0
const statusOf = async (swap: CreatedSwap) =>
  (
    await hand.services.database
      .selectFrom('swap')
      .select('status')
      .where('id', '=', swap.view.swap.id)
      .executeTakeFirstOrThrow()
  ).status

/** A swap with a deposit whose token has no price any more. */
async function depositWithoutPrice(): Promise<CreatedSwap> {
  const { services } = hand
  const swap = await hand.swap(FROM, TO)
  // The price sources stop answering, or differ by more than two percent, from now on.
  delete services.prices.USDC
  hand.passTime(20 * 60_000)
  await services.market.refreshPrices()
  hand.deposit(swap)
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  return swap
}

async function passDay() {
  const { services } = hand
  hand.passTime(24 * 3_600_000)
  for (const network of services.catalogue.networks) await services.market.refresh(network)
  await services.market.refreshPrices()
  await expireSwaps(services)
  await requeueMissingJobs(services)
  await hand.runJobs()
}

/** Runs the job that `swap refund` has queued. */
async function giveAddress() {
  const { rows } = await sql<{ payload: AddressGiven }>`
    delete from graphile_worker._private_jobs where task_id =
      (select id from graphile_worker._private_tasks where identifier = 'giveAddress') returning payload
  `.execute(hand.services.database)
  for (const { payload } of rows) await setRefundAddress(hand.services, payload)
}

test('an operator is alerted at the end of the window, once', async () => {
  const swap = await depositWithoutPrice()
  expect(await alerts()).toBe(0)
  for (let day = 0; day < 30; day++) await passDay()
  expect(await statusOf(swap)).toBe('expired')
  expect(await alerts()).toBe(1)
  expect(await admin(hand.services, 'swap', 'list', '--owed')).toContain(swap.view.swap.id)
})

test('swap refund says what is true before the window ends', async () => {
  const swap = await depositWithoutPrice()
  const { id, refundAddress } = swap.view.swap
  const words = ['swap', 'refund', '--id', id, '--to', refundAddress ?? '']
  await expect(admin(hand.services, ...words)).rejects.toThrow(/waits .* 50/)
})

test('an operator may state the fee, and the deposit is refunded less exactly that', async () => {
  const swap = await depositWithoutPrice()
  await passDay()
  const { id, refundAddress, requestedUnits, source } = swap.view.swap
  const words = ['swap', 'refund', '--id', id, '--to', refundAddress ?? '']
  expect(await admin(hand.services, ...words)).toContain('--fee')
  await giveAddress()
  await hand.runJobs()
  expect(hand.chain(FROM).balance(refundAddress ?? '', source.contract)).toBe(0n)
  await admin(hand.services, ...words, '--fee', '0.25')
  await giveAddress()
  const { units, kept_units } = await hand.services.database
    .selectFrom('payout')
    .select(['units', 'kept_units'])
    .where('swap_id', '=', id)
    .executeTakeFirstOrThrow()
  expect({ units, kept_units }).toEqual({ units: (requestedUnits ?? 0n) - 250_000n, kept_units: 250_000n })
  expect(await statusOf(swap)).toBe('refund_pending')
})

test('it is swapped automatically once the price is back', async () => {
  const swap = await depositWithoutPrice()
  await passDay()
  hand.services.prices.USDC = '1'
  await hand.services.refresh()
  await expireSwaps(hand.services)
  expect(await statusOf(swap)).toBe('ls_transfer_pending')
})
