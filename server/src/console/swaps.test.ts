/** An operator finds a swap by its id, an address, a transaction or a reference; charts count completed swaps per day. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { get, openConsole, type Seat, type TestConsole } from '../../../tests/support/service/console.ts'
import { type Hand, startHand } from '../../../tests/support/service/manual-driver.ts'

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

type Row = { swap: { id: string; status: string; destination_address: string } }
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
  expect(await counted('days=1')).toEqual({ [status]: 2 })
  expect(await counted('network=BETA&days=30')).toEqual({ [status]: 2 })
  expect(await counted('network=NOWHERE')).toEqual({})
  await db
    .updateTable('swap')
    .set({ created_at: new Date(0) })
    .where('id', '=', first.id)
    .execute()
  expect(await counted('days=1')).toEqual({ [status]: 1 })
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
