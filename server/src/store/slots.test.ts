/** A payout stands in one live slot, and only the newest holder of an account hands out slots of it. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Database, migrate, openDatabase } from './database.ts'
import { liveSlot } from './slotrecords.ts'
import { allocateSlots, takeFence } from './slots.ts'
import type { PayoutRow } from './swaps.ts'

const WALLET = { network: 'ALPHA', account: 'sim1wallet' }

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
  database = openDatabase(own.url)
  await migrate(database)
})
afterAll(async () => {
  await database.destroy()
  await own.stop()
})

function insertPayout(): Promise<PayoutRow> {
  const values = { swap_id: null, number: 0, kind: 'admin', deposit_id: null, token: 'native', units: 1n } as const
  const now = new Date()
  return database
    .insertInto('payout')
    .values({ ...WALLET, ...values, to_address: WALLET.account, state: 'open', created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()
}

function allocate(fence: bigint, part: string, payout: PayoutRow) {
  return database
    .transaction()
    .execute((queries) => allocateSlots(queries, { ...WALLET, fence }, [{ parts: [part], payouts: [payout] }]))
}

test('a payout that stands in a slot gets no second one: whoever asks tries again later, and nothing of it stays', async () => {
  const payout = await insertPayout()
  const fence = await takeFence(database, WALLET.network, WALLET.account)
  const [first] = await allocate(fence, '1', payout)
  await expect(allocate(fence, '2', payout)).rejects.toThrow(new RetryLater('a payout stands in another slot'))
  expect((await liveSlot(database, payout.id))?.slot.id).toBe(first?.id)
  expect(await database.selectFrom('slot_part').select('part').execute()).toEqual([{ part: '1' }])
})

test('whoever was overtaken hands out nothing', async () => {
  const payout = await insertPayout()
  const overtaken = await takeFence(database, WALLET.network, WALLET.account)
  await takeFence(database, WALLET.network, WALLET.account)
  await expect(allocate(overtaken, '3', payout)).rejects.toThrow(RetryLater)
  expect(await liveSlot(database, payout.id)).toBeNull()
})
