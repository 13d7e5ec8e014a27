/** An operator finds a swap by its id, an address, a transaction or a reference; charts count completed swaps per day. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { get, openConsole, type Seat, type TestConsole } from '../../../tests/support/service/console.ts'
import { type Hand, startHand } from '../../../tests/support/service/manual-driver.ts'
import { setLimit } from '../store/limits/safeguards.ts'
import { holdPayout } from '../store/payouts/holds.ts'

let database: TestDatabase
let hand: Hand
let desk: TestConsole
let viewer: Seat
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  desk = openConsole(hand.services, (ms) => hand.passTime(ms))
  await desk.person('viewer', 'viewer')
  viewer = await desk.seat('viewer')
})
afterAll(async () => {
  await desk.server.close()
  await hand.stop()
  await database.stop()
})

type Row = { hold: string | null; swap: { id: string; status: string; destination_address: string } }
const find = (query: Record<string, string>) =>
  desk.told(get(`/swaps?${new URLSearchParams(query)}`, viewer)) as Promise<Row[]>
const idsOf = (rows: Row[]) => rows.map(({ swap }) => swap.id)

test('swaps are found by id, address, transaction and reference, and filtered', async () => {
  const first = (await hand.swap('ALPHA', 'BETA')).view.swap
  const second = (await hand.swap('ALPHA', 'BETA')).view.swap
  const { database: db } = hand.services
  await db.updateTable('swap').set({ reference_id: 'order 42' }).where('id', '=', first.id).execute()
  expect(idsOf(await find({}))).toEqual([second.id, first.id])
  const [row] = await find({ search: first.id })
  expect(row?.swap.id).toBe(first.id)
  expect(idsOf(await find({ search: row?.swap.destination_address ?? '' }))).toContain(first.id)
  expect(idsOf(await find({ search: 'order 42' }))).toEqual([first.id])
  expect(await find({ search: 'order 43' })).toEqual([])
  expect(await find({ statuses: 'completed,refunded' })).toEqual([])
  expect(idsOf(await find({ network: 'BETA', cursor: second.id }))).toEqual([first.id])
  const { status } = row?.swap ?? { status: '' }
  const counted = (query: string) => desk.told(get(`/swaps/counts?${query}`, viewer))
  expect(await counted('days=1')).toEqual({ statuses: { [status]: 2 }, waiting: 0 })
  expect(await counted('network=BETA&days=30')).toEqual({ statuses: { [status]: 2 }, waiting: 0 })
  expect(await counted('network=NOWHERE')).toEqual({ statuses: {}, waiting: 0 })
  await db
    .updateTable('swap')
    .set({ created_at: new Date(0) })
    .where('id', '=', first.id)
    .execute()
  expect(await counted('days=1')).toEqual({ statuses: { [status]: 1 }, waiting: 0 })
  expect(idsOf(await find({ days: '30' }))).toEqual([second.id])
  const wrong = await desk.server.inject(get('/swaps?statuses=nonsense', viewer))
  expect(wrong.statusCode).toBe(400)
})

test('charts have a row per day, the last one today', async () => {
  const days = (await desk.told(get('/charts', viewer))) as { day: string; payouts: number; volume_usd: number }[]
  expect(days).toHaveLength(14)
  expect(days.at(-1)).toEqual({
    day: hand.services.now().toISOString().slice(0, 10),
    ...{ volume_usd: 0, fees_usd: 0, payouts: 0, median_seconds: null },
  })
})

test('a swap whose payout is on hold says so, and is among those that wait for an operator', async () => {
  const { database: db, now } = hand.services
  const counted = async (query = '') => (await desk.told(get(`/swaps/counts?${query}`, viewer))).waiting
  const before = await counted()
  await setLimit(db, 'approval_above', 'service', 1n)
  const swap = await hand.swap('ALPHA', 'BETA')
  hand.deposit(swap)
  hand.chain('ALPHA').mine(2)
  await hand.watch('ALPHA')
  await hand.runJobs()
  const { id } = swap.view.swap
  const holdOf = async () => (await find({ search: id }))[0]?.hold
  expect(await holdOf()).toBe('approval')
  expect(idsOf(await find({ waiting: 'true' }))).toEqual([id])
  expect(idsOf(await find({ waiting: 'true', network: 'BETA', search: id }))).toEqual([id])
  expect(await find({ waiting: 'true', network: 'GAMMA' })).toEqual([])
  expect([await counted(), await counted('network=GAMMA')]).toEqual([before + 1, 0])
  const payout = await db.selectFrom('payout').select('id').where('swap_id', '=', id).executeTakeFirstOrThrow()
  await holdPayout(db, payout.id, { hold: { code: 'paused', scope: 'service', note: 'a look' }, now: now() })
  expect(await holdOf()).toBe('other')
  // One that is only tried again needs no operator.
  await holdPayout(db, payout.id, { hold: { code: 'trouble', error: 'NodeDown' }, now: now() })
  expect([await holdOf(), await counted()]).toEqual([null, before])
  expect(await find({ waiting: 'true' })).toEqual([])
})
