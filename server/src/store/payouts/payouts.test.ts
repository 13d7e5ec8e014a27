/** Reserved amounts are counted once, and an operator can reject only payouts that were not started. */
import type { Token } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sampleNetwork, tokenOf } from '../../../../tests/support/chains/samples.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { cancelSlotOf } from '../../../../tests/support/service/holds.ts'
import { type Database, openDatabase, type Queries } from '../db/database.ts'
import { insertReturn } from '../deposits/unmatched.ts'
import type { DepositRow, PayoutRow } from '../swaps/swaps.ts'
import { addAttempts } from './attempts.ts'
import { takeDueHeld } from './held-payouts.ts'
import { holdPayout } from './holds.ts'
import { foldReservations, lockInventory, reservedByToken, reservedSince } from './liquidity-reservations.ts'
import { closeWithoutSwap, forgottenPayouts, rejectPayout, waitingBeside } from './payouts.ts'
import { reopenPayout } from './reorged-payouts.ts'
import { allocateSlots, settleSlot, takeFence } from './slots.ts'

const NATIVE = { symbol: 'SIM', contract: null, decimals: 18 }
const TOKEN = tokenOf(
  sampleNetwork([NATIVE, { symbol: 'USDC', contract: 'sim1usdc', decimals: 6 }], { name: 'ALPHA', type: 'starkex' }),
  'USDC',
)
const OTHER: Token = { ...TOKEN, contract: 'sim1other' }
const ACCOUNT = 'sim1wallet'
const NOW = new Date('2030-01-01T00:00:00Z')
const before = (ms: number) => new Date(NOW.getTime() - ms)

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
})
afterAll(() => own.stop())
beforeEach(async () => {
  await database?.destroy()
  database = openDatabase(await own.createDatabase())
})
afterAll(() => database.destroy())

let made = 0

/** An unmatched deposit that is sent back: a payout without a swap. */
async function order(units: bigint, token = TOKEN, queries: Queries = database): Promise<PayoutRow> {
  const deposit: DepositRow = await queries
    .insertInto('deposit')
    .values({
      ...{ network: token.network, tx_hash: `tx ${++made}`, index: 0, block_number: 1n, block_hash: 'x' },
      ...{ from_address: null, to_address: ACCOUNT, token: token.contract ?? 'native', units, reference: null },
      ...{ swap_id: null, state: 'confirmed', confirmations_wanted: 1 },
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return insertReturn(queries, { deposit, token, account: ACCOUNT, to: 'sim1to', units, keptUnits: 0n, now: NOW })
}

async function begin(payout: PayoutRow, part: string) {
  const wallet = { network: payout.network, account: payout.account }
  const fence = await takeFence(database, wallet.network, wallet.account)
  const [slot] = await database
    .transaction()
    .execute((queries) => allocateSlots(queries, { ...wallet, fence }, [{ parts: [part], payouts: [payout] }]))
  if (!slot) throw new Error('no slot')
  return slot
}

test('open payouts are reserved, and so are those paid after the balance was read, not earlier ones', async () => {
  const [open, late, early, struck] = [await order(1n), await order(20n), await order(300n), await order(4_000n)]
  await order(50_000n, OTHER)
  await closeWithoutSwap(database, late.id, 'confirmed', before(999))
  await closeWithoutSwap(database, early.id, 'confirmed', before(1_001))
  await closeWithoutSwap(database, struck.id, 'abandoned', NOW)
  expect(open.state).toBe('open')
  expect(await reservedSince(database, TOKEN, before(1_000))).toBe(21n)
})

test('the stored sum equals the open payouts at every step, however much is folded', async () => {
  const keptSums = async () => ({
    one: await reservedSince(database, TOKEN, NOW),
    all: await reservedByToken(database, TOKEN.network, NOW),
  })
  const is = (units: bigint) => ({
    one: units,
    all: new Map([...(units > 0n ? [['sim1usdc', units] as const] : []), ['sim1other', 50_000n]]),
  })
  const [first, second] = [await order(1n), await order(20n)]
  await order(50_000n, OTHER)
  await foldReservations(database)
  expect(await keptSums()).toEqual(is(21n))
  await closeWithoutSwap(database, first.id, 'confirmed', before(1))
  expect(await keptSums()).toEqual(is(20n))
  await foldReservations(database)
  await reopenPayout(database, first.id)
  await closeWithoutSwap(database, second.id, 'abandoned', NOW)
  expect(await keptSums()).toEqual(is(1n))
  await Promise.all([foldReservations(database), foldReservations(database)])
  expect(await keptSums()).toEqual(is(1n))
  await holdPayout(database, first.id, { hold: { code: 'approval_needed' }, now: NOW })
  await closeWithoutSwap(database, first.id, 'confirmed', before(1))
  await foldReservations(database)
  expect(await keptSums()).toEqual(is(0n))
  const { rows } = await sql`select 1 from reservation_change`.execute(database)
  expect(rows).toEqual([])
})

test('an order is reserved inside its transaction at once, and not after a rollback', async () => {
  const undone = new Error('undone')
  const attempt = database.transaction().execute(async (queries) => {
    await order(7n, TOKEN, queries)
    expect(await reservedSince(queries, TOKEN, NOW)).toBe(7n)
    expect(await reservedSince(database, TOKEN, NOW)).toBe(0n)
    throw undone
  })
  await expect(attempt).rejects.toBe(undone)
  expect(await reservedSince(database, TOKEN, NOW)).toBe(0n)
})

test('if too many payouts wait to be requeued, each gets its turn', async () => {
  const ids = new Set<string>()
  for (let count = 0; count < 12; count++) ids.add((await order(1n)).id)
  const later = new Date(NOW.getTime() + 1)
  const seen = new Set<string>()
  for (let round = 0; round < 500 && seen.size < ids.size; round++) {
    const found = await forgottenPayouts(database, later, 4)
    expect(new Set(found.map(({ id }) => id)).size).toBe(4)
    for (const { id } of found) seen.add(id)
  }
  expect(seen).toEqual(ids)
  expect(await forgottenPayouts(database, later, 200)).toHaveLength(12)
  expect(await forgottenPayouts(database, NOW, 200)).toEqual([])
})

test('a payout held by a rule is returned once when due, then not before its next time', async () => {
  const [first, second, third] = [await order(1n), await order(2n), await order(3n)]
  for (const [payout, ms] of [
    [first, 30],
    [second, 20],
    [third, -10],
  ] as const)
    await holdPayout(database, payout.id, {
      hold: { code: 'outflow_limit' },
      now: NOW,
      recheck: { at: before(ms), soonAt: before(ms) },
    })
  const nextAt = new Date(NOW.getTime() + 5)
  const take = async (now: Date, limit: number) => {
    const taken = await takeDueHeld(database, { now, nextAt, limit })
    return new Set(taken.map(({ units }) => units))
  }
  expect(await take(NOW, 1)).toEqual(new Set([1n]))
  expect(await take(NOW, 2)).toEqual(new Set([2n]))
  expect(await take(NOW, 2)).toEqual(new Set())
  expect(await take(nextAt, 9)).toEqual(new Set([1n, 2n]))
})

test('reservations of one token are serialised, those of another one run in parallel', async () => {
  const done: string[] = []
  let finish: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  let isHeld: () => void = () => undefined
  const taken = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const promise = (token: Token, name: string, work: () => Promise<void>) =>
    database.transaction().execute(async (queries) => {
      await lockInventory(queries, token)
      await work()
      done.push(name)
    })
  const first = promise(TOKEN, 'first', async () => {
    isHeld()
    await held
  })
  await taken
  const second = promise(TOKEN, 'second', async () => undefined)
  await promise(OTHER, 'other', async () => undefined)
  await eventually(async () => {
    const { rows } = await sql`
      select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(database)
    return rows.length === 1
  }, 'the second to wait')
  expect(done).toEqual(['other'])
  finish()
  await Promise.all([first, second])
  expect(done).toEqual(['other', 'first', 'second'])
})

test('a started payout cannot be rejected unless it is being cancelled', async () => {
  const [waiting, begun] = [await order(1n), await order(2n)]
  await begin(begun, '1')
  expect(await rejectPayout(database, begun.id, NOW)).toBeNull()
  expect((await rejectPayout(database, waiting.id, NOW))?.id).toBe(waiting.id)
  await cancelSlotOf(database, begun.id, NOW)
  expect((await rejectPayout(database, begun.id, NOW))?.rejected_at).toEqual(NOW)
})

test('a voided or confirmed payout gets no slot', async () => {
  for (const state of ['abandoned', 'confirmed'] as const) {
    const payout = await order(1n)
    await closeWithoutSwap(database, payout.id, state, NOW)
    await expect(begin(payout, state)).rejects.toThrow('a payout was closed meanwhile')
  }
  expect(await database.selectFrom('slot').selectAll().execute()).toEqual([])
})

test('nothing is signed into a slot that is settled, alone or among others', async () => {
  const [settled, open] = [await begin(await order(1n), '1'), await begin(await order(2n), '2')]
  await settleSlot(database, settled.id, 'landed')
  const transfer = { hash: 'hash', bytes: 'bytes' }
  const signed = [open, settled].map(({ id }) => ({ slotId: id, number: 0, transfer }))
  await expect(addAttempts(database, signed, NOW)).rejects.toThrow('the slot is settled')
  expect(await database.selectFrom('attempt').selectAll().execute()).toEqual([])
  expect(await addAttempts(database, signed.slice(0, 1), NOW)).toHaveLength(1)
})

test('payouts that can share a batch are of the same wallet, not started, and held by no rule', async () => {
  const [first, free, troubled, ruled, begun] = [
    await order(1n),
    await order(2n),
    await order(3n),
    await order(4n),
    await order(5n),
  ]
  await holdPayout(database, troubled.id, { hold: { code: 'trouble', error: 'RetryLater' }, now: NOW })
  await holdPayout(database, ruled.id, { hold: { code: 'paused', scope: 'service', note: 'a look' }, now: NOW })
  await begin(begun, '1')
  const beside = await waitingBeside(database, first, 10)
  expect(beside.map(({ id }) => id).toSorted()).toEqual([free.id, troubled.id].toSorted())
})
