/**
 * A payout has one live slot, only the newest fencing token of an account allocates slots, and each slot is checked.
 */

import { RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleNetwork, tokenOf } from '../../../../tests/support/chains/samples.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { insertReturn } from '../deposits/unmatched.ts'
import { outflowWithin } from '../limits/safeguards.ts'
import type { PayoutRow } from '../swaps/swaps.ts'
import { addAttempts, markSent } from './attempts.ts'
import { liveSlot, openSlots } from './slot-records.ts'
import { allocateSlots, settleSlot, takeFence } from './slots.ts'

const NATIVE = tokenOf(
  sampleNetwork([{ symbol: 'SIM', contract: null, decimals: 18 }], { name: 'ALPHA', type: 'starkex' }),
  'SIM',
)
const WALLET = { network: 'ALPHA', account: 'sim1wallet' }

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
  database = openDatabase(own.url)
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

/** A return of an unmatched deposit: unlike a call, it moves money out of the service. */
async function insertReturned(units: bigint): Promise<PayoutRow> {
  const deposit = await database
    .insertInto('deposit')
    .values({
      ...{ network: WALLET.network, tx_hash: `tx ${units}`, index: 0, block_number: 1n, block_hash: 'x' },
      ...{ from_address: null, to_address: WALLET.account, token: 'native', units, reference: null, swap_id: null },
      ...{ state: 'confirmed', confirmations_wanted: 1 },
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return insertReturn(database, {
    deposit,
    token: NATIVE,
    account: WALLET.account,
    to: 'sim1to',
    units,
    keptUnits: 0n,
    now: new Date(),
  })
}

function allocate(fence: bigint, part: string, payout: PayoutRow) {
  return database
    .transaction()
    .execute((queries) =>
      allocateSlots(queries, { ...WALLET, fence }, [{ parts: [part], payouts: [payout], usd: [payout.units] }]),
    )
}

test('a payout with a slot gets no second one: the caller retries later, and nothing is stored', async () => {
  const payout = await insertPayout()
  const fence = await takeFence(database, WALLET.network, WALLET.account)
  const [first] = await allocate(fence, '1', payout)
  await expect(allocate(fence, '2', payout)).rejects.toThrow(new RetryLater('a payout has another slot'))
  expect((await liveSlot(database, payout.id))?.slot.id).toBe(first?.id)
  expect(await database.selectFrom('slot_part').select('part').execute()).toEqual([{ part: '1' }])
})

test('an outdated fencing token allocates no slot', async () => {
  const payout = await insertPayout()
  const overtaken = await takeFence(database, WALLET.network, WALLET.account)
  await takeFence(database, WALLET.network, WALLET.account)
  await expect(allocate(overtaken, '3', payout)).rejects.toThrow(RetryLater)
  expect(await liveSlot(database, payout.id)).toBeNull()
})

test('of many open slots a round checks the oldest and the newest, and each other gets its turn', async () => {
  const fence = await takeFence(database, WALLET.network, WALLET.account)
  for (let part = 10; part < 30; part++) await allocate(fence, `${part}`, await insertPayout())
  const look = async (limit: number) => {
    const found = await openSlots(database, WALLET.network, { finalBelow: 0n, replacedFrom: null, limit })
    return found.map(({ slot }) => slot.id)
  }
  const all = await look(100)
  expect(all).toEqual([...all].sort((a, b) => Number(a - b)))
  const seen = new Set<bigint>()
  for (let round = 0; round < 500 && seen.size < all.length; round++) {
    const some = await look(8)
    expect(new Set(some).size).toBe(8)
    expect([...some.slice(0, 2), ...some.slice(-4)]).toEqual([...all.slice(0, 2), ...all.slice(-4)])
    for (const id of some) seen.add(id)
  }
  expect(seen).toEqual(new Set(all))
})

test('a settled slot counts as outflow from its allocation on, an open one as long as it is open', async () => {
  const fence = await takeFence(database, WALLET.network, WALLET.account)
  const outflow = async (hours: number) =>
    (await outflowWithin(database, hours))
      .filter(({ network, usd }) => network === WALLET.network && usd > 0n)
      .map(({ token, isReturn, usd }) => ({ token, isReturn, usd }))
  const out = (usd: bigint) => [{ token: 'native', isReturn: true, usd }]
  const first = await allocate(fence, '50', await insertReturned(30n))
  await allocate(fence, '51', await insertReturned(5n))
  expect(await outflow(1)).toEqual(out(35n))
  // Two hours later, by the database's clock.
  await sql`update payout set started_at = started_at - interval '2 hours'`.execute(database)
  await sql`update slot set created_at = created_at - interval '2 hours'`.execute(database)
  expect(await outflow(1)).toEqual(out(35n))
  await settleSlot(database, first[0]?.id ?? 0n, 'landed')
  expect(await outflow(24)).toEqual(out(35n))
  expect(await outflow(1)).toEqual(out(5n))
})

test('a node’s acceptance is recorded even if the slot has no payouts any more', async () => {
  const fence = await takeFence(database, WALLET.network, WALLET.account)
  const payouts = [await insertPayout()]
  const wanted = [{ payouts, parts: ['settled meanwhile'] }]
  const [slot] = await database.transaction().execute((queries) => allocateSlots(queries, { ...WALLET, fence }, wanted))
  const transfer = { hash: 'a hash', bytes: 'some bytes' }
  const [attempt] = await addAttempts(database, [{ slotId: slot?.id ?? 0n, number: 0, transfer }], new Date())
  if (!attempt) throw new Error('nothing was stored')
  await markSent(database, attempt, [], new Date())
  const [record] = await database.selectFrom('attempt').select('sent_at').where('hash', '=', 'a hash').execute()
  expect(record?.sent_at).toBeInstanceOf(Date)
})
