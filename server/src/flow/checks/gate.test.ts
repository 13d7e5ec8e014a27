/**
 * The gate before money leaves: which limits and objections hold a payout, exact to the cent, and when a held payout is
 * rechecked.
 */

import { describeHold, RetryLater, toUsd } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { approveBefore, holdOf, holdWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { clearSwitch, setLimit, setSwitch } from '../../store/limits/safeguards.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'
import { requeueMissingJobs } from '../run/requeue.ts'
import { mayPay, withoutSlot } from './gate.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
})
afterEach(() => hand.stop())

async function owed(count: number): Promise<CreatedSwap[]> {
  const swaps: CreatedSwap[] = []
  for (let made = 0; made < count; made++) swaps.push(await hand.swap(FROM, TO))
  for (const swap of swaps) hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return swaps
}

function payoutOf({ view }: CreatedSwap): Promise<PayoutRow> {
  const rows = hand.services.database.selectFrom('payout').selectAll().where('swap_id', '=', view.swap.id)
  return rows.executeTakeFirstOrThrow()
}

/** The payout's value in 10^-18 dollars, computed as the gate does. */
function worthOf({ network, token, units }: PayoutRow): bigint {
  const listed = hand.services.catalogue.token(network, token)
  const price = hand.services.market.price(listed)
  if (price === null) throw new Error('no price')
  return toUsd(units, listed, price, 'up')
}

async function refusalOf(payout: PayoutRow): Promise<string | null> {
  const chain = chainOf(hand.services.chains, payout.network)
  const [first] = (await mayPay(hand.services, chain, [withoutSlot(payout)])).get(payout.id) ?? []
  return first ? describeHold(first.hold, first.detail) : null
}

async function theOnly(count = 1): Promise<PayoutRow[]> {
  return Promise.all((await owed(count)).map(payoutOf))
}

/** The payouts with a waiting job in the queue. */
async function inLane(): Promise<string[]> {
  const waiting = sql<{ key: string }>`select key from graphile_worker.jobs where key like 'pay:%'`
  const { rows } = await waiting.execute(hand.services.database)
  return rows.map(({ key }) => key.replace('pay:', ''))
}

test('the outflow may reach its limit, but not exceed it by the smallest unit', async () => {
  const [payout] = await theOnly()
  if (!payout) throw new Error('none')
  const { database: db } = hand.services
  await setLimit(db, 'hourly_outflow', `network:${TO}`, worthOf(payout))
  expect(await refusalOf(payout)).toBeNull()
  await setLimit(db, 'hourly_outflow', `network:${TO}`, worthOf(payout) - 1n)
  expect(await refusalOf(payout)).toBe('the outflow limit is reached')
})

test('open slots count towards the hourly limit, sent or not, however old they are', async () => {
  const all = await theOnly(3)
  const [one] = all
  if (!one) throw new Error('none')
  hand.passTime(2 * 3_600_000)
  await hand.services.refresh()
  const { database: db } = hand.services
  await setLimit(db, 'hourly_outflow', `network:${TO}`, 2n * worthOf(one))
  const chain = chainOf(hand.services.chains, TO)
  const { broadcast } = chain
  Object.assign(chain, { broadcast: () => Promise.reject(new RetryLater('the node does not answer')) })
  await pay(hand.services, one.id)
  const now = await Promise.all(all.map(({ id }) => readPayout(db, id)))
  const begun = all.filter((_, position) => now[position]?.started)
  const third = all.find((payout) => !begun.includes(payout))
  if (!third) throw new Error('all three were begun')
  expect(begun, 'begun together').toHaveLength(2)
  expect(await refusalOf(third)).toBe('the outflow limit is reached')
  // Hours later the transactions may still be mined.
  for (const table of ['payout', 'slot'] as const) {
    const column = table === 'payout' ? 'started_at' : 'created_at'
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - interval '5 hours'`.execute(db)
  }
  hand.passTime(5 * 3_600_000)
  await hand.services.refresh()
  expect(await refusalOf(third)).toBe('the outflow limit is reached')
  Object.assign(chain, { broadcast })
  for (const { id } of begun) await pay(hand.services, id)
  hand.chain(TO).mine(6)
  await hand.watch(TO)
  expect(await refusalOf(third), 'landed, and handed out more than an hour ago').toBeNull()
})

test('if screening does not answer, nothing is paid', async () => {
  const [payout] = await theOnly()
  if (!payout) throw new Error('none')
  const failing = () => Promise.reject(new RetryLater('the screening does not answer'))
  Object.assign(hand.services, { screener: { screen: failing } })
  expect(await refusalOf(payout)).toBe('the screening does not answer')
  await pay(hand.services, payout.id)
  expect(await readPayout(hand.services.database, payout.id)).toMatchObject({ started: false, held_by: 'trouble' })
})

test('a held payout leaves its queue, is not screened, and is requeued by the change that frees it', async () => {
  const held = await theOnly(2)
  const { database: db } = hand.services
  const screened: string[] = []
  const screener = {
    screen: async () => {
      screened.push('asked')
      return null
    },
  }
  Object.assign(hand.services, { screener })
  const scope = `network:${TO}` as const
  await setSwitch(db, { scope, stops_swaps: false, stops_payouts: true, reason: 'a look' })
  await hand.runJobs()
  expect(await inLane()).toEqual([])
  for (let minute = 0; minute < 3; minute++) {
    hand.passTime(60_000)
    await requeueMissingJobs(hand.services)
    expect((await inLane()).toSorted()).toEqual(held.map(({ id }) => id).toSorted())
    await hand.runJobs()
    expect(await inLane()).toEqual([])
  }
  expect(screened).toEqual([])
  await clearSwitch(db, scope)
  await hand.runJobs()
  for (const { id } of held) expect(await readPayout(db, id)).toMatchObject({ started: true, held_by: null })
})

test('a payout that waits for an operator is rechecked soon, and then every ten minutes', async () => {
  const [payout] = await theOnly()
  if (!payout) throw new Error('none')
  const { database: db } = hand.services
  await setLimit(db, 'approval_above', 'service', 1n)
  await hand.runJobs()
  // An answer that arrived while the payout was being held has requeued nothing.
  hand.passTime(2_000)
  await requeueMissingJobs(hand.services)
  expect(await inLane()).toEqual([payout.id])
  await hand.runJobs()
  const looks: number[] = []
  for (let second = 0; second <= 1_500; second += 30) {
    await hand.services.refresh()
    await requeueMissingJobs(hand.services)
    if ((await inLane()).length > 0) looks.push(second)
    await hand.runJobs()
    hand.passTime(30_000)
  }
  expect(looks).toEqual([600, 1_200])
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, payout.id)))
  await hand.runJobs()
  expect((await readPayout(db, payout.id))?.started).toBe(true)
})

test('held payouts take no place in a batch', async () => {
  const { database: db } = hand.services
  await setLimit(db, 'approval_above', 'service', 1n)
  const held = await theOnly(30)
  await hand.runJobs()
  const free = await theOnly(4)
  for (const { id } of free) await approveBefore(db, id, hand.services.now())
  const [first] = free
  if (!first) throw new Error('none')
  await pay(hand.services, first.id)
  for (const { id } of free) expect((await readPayout(db, id))?.started).toBe(true)
  for (const { id } of held) expect((await readPayout(db, id))?.started).toBe(false)
})

test('a rejected payout is not started by the job of another payout', async () => {
  const [first, rejected] = await theOnly(2)
  if (!first || !rejected) throw new Error('none')
  await admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, rejected.id)))
  await pay(hand.services, first.id)
  const { database: db } = hand.services
  expect((await readPayout(db, first.id))?.started).toBe(true)
  expect((await readPayout(db, rejected.id))?.started).toBe(false)
  await expect(
    admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, first.id))),
  ).rejects.toThrow('does not wait')
})

test('a payout held by a rule has no slot, and its node is not asked', async () => {
  const [payout] = await theOnly()
  if (!payout) throw new Error('none')
  const { database: db } = hand.services
  await setSwitch(db, { scope: `network:${TO}`, stops_swaps: false, stops_payouts: true, reason: 'a look' })
  const chain = chainOf(hand.services.chains, TO)
  const { prepare } = chain
  let prepared = 0
  Object.assign(chain, {
    prepare: (...given: Parameters<typeof prepare>) => {
      prepared += 1
      return prepare(...given)
    },
  })
  for (let looks = 0; looks < 4; looks++) await pay(hand.services, payout.id)
  const held = await payoutOfId(payout.id)
  expect([held.started, prepared]).toEqual([false, 0])
  expect(await holdOf(db, payout.id)).toEqual({ code: 'paused', scope: `network:${TO}`, note: 'a look' })
  await clearSwitch(db, `network:${TO}`)
  await pay(hand.services, payout.id)
  expect([(await payoutOfId(payout.id)).started, prepared]).toEqual([true, 1])
})

async function payoutOfId(id: string): Promise<PayoutRow> {
  const row = await readPayout(hand.services.database, id)
  if (!row) throw new Error('there is none')
  return row
}
