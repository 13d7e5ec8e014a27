/** How far an operator's answer reaches (one open hold at a time), and which time counts until a payout is given up. */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { haltCauses, holdOf, holdWords, releaseWords, screenerBy } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { setLimit } from '../../store/limits/safeguards.ts'
import { holdPayout, readOpenHold } from '../../store/payouts/holds.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 6
const LOOK_MS = 60_001

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

const adapter = (): ChainAdapter => chainOf(hand.services.chains, TO)

async function outputs(...amounts: string[]): Promise<PayoutRow[]> {
  const swaps = []
  for (const amount of amounts) swaps.push(await hand.swap(FROM, TO, { amount }))
  for (const swap of swaps) hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  return Promise.all(
    swaps.map(({ view }) =>
      hand.services.database
        .selectFrom('payout')
        .selectAll()
        .where('swap_id', '=', view.swap.id)
        .where('kind', '=', 'output')
        .executeTakeFirstOrThrow(),
    ),
  )
}

async function output(): Promise<PayoutRow> {
  const [one] = await outputs('50')
  if (!one) throw new Error('none')
  return one
}

const rowOf = async (id: string) => (await readPayout(hand.services.database, id)) as PayoutRow
const idOf = async (id: string) => (await readOpenHold(hand.services.database, id))?.id

/** Runs the work while no node can read the wallet's history. */
async function withoutHistory<T>(work: () => Promise<T>): Promise<T> {
  const { balances } = adapter()
  Object.assign(adapter(), { balances: () => Promise.reject(new RetryLater('no node answers')) })
  try {
    return await work()
  } finally {
    Object.assign(adapter(), { balances })
  }
}

function listing(reasonFor: () => string | null, address: string): void {
  Object.assign(hand.services, {
    screener: screenerBy((suspect) => (suspect === address ? reasonFor() : null)),
  })
}

test('an approval for one listing of an address does not pass another listing', async () => {
  const { id, to_address } = await output()
  let reason = 'reported once for spam'
  listing(() => reason, to_address)
  await pay(hand.services, id)
  expect(await holdOf(hand.services.database, id)).toMatchObject({ code: 'screened', listing: reason })
  // Nothing is paid yet: a switch, a limit or a failing node stops the payout.
  const { prepare } = adapter()
  Object.assign(adapter(), { prepare: () => Promise.reject(new RetryLater('no node answers')) })
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, id)))
  await pay(hand.services, id)
  expect(await holdOf(hand.services.database, id)).toMatchObject({ code: 'trouble' })
  reason = 'sanctioned: OFAC SDN'
  Object.assign(adapter(), { prepare })
  await pay(hand.services, id)
  expect((await rowOf(id)).started, 'paid to a sanctioned address').toBe(false)
})

test('a listing whose text changes keeps the id of its hold', async () => {
  const { id, to_address } = await output()
  let score = 80
  listing(() => `risk score ${score++}`, to_address)
  await pay(hand.services, id)
  const shown = await idOf(id)
  hand.passTime(LOOK_MS)
  await pay(hand.services, id)
  expect(await idOf(id)).toBe(shown)
})

test('an approval for a lost deposit does not cover its next loss', async () => {
  const { id, swap_id } = await output()
  const { database: db } = hand.services
  const become = (state: 'lost' | 'confirmed') =>
    db.updateTable('deposit').set({ state }).where('swap_id', '=', swap_id).execute()
  const { prepare } = adapter()
  Object.assign(adapter(), { prepare: () => Promise.reject(new RetryLater('no node answers')) })
  await become('lost')
  await pay(hand.services, id)
  expect(await holdOf(db, id)).toMatchObject({ code: 'deposit_lost' })
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(db, id)))
  await become('confirmed')
  await pay(hand.services, id)
  expect(await holdOf(db, id)).toMatchObject({ code: 'trouble' })
  await become('lost')
  Object.assign(adapter(), { prepare })
  await pay(hand.services, id)
  expect((await rowOf(id)).started, 'paid for a deposit that is lost again').toBe(false)
})

test('an approval covers the value that was shown, not a hundred times as much', async () => {
  const { database: db, market } = hand.services
  await setLimit(db, 'approval_above', 'service', 1n)
  const { id } = await output()
  const { prepare } = adapter()
  Object.assign(adapter(), { prepare: () => Promise.reject(new RetryLater('no node answers')) })
  await pay(hand.services, id)
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(db, id)))
  const { price } = market
  Object.assign(market, { price: (token: Parameters<typeof price>[0]) => (price(token) ?? 0n) * 100n })
  Object.assign(adapter(), { prepare })
  await pay(hand.services, id)
  expect((await rowOf(id)).started).toBe(false)
})

test('an approval for one lost deposit does not cover another one of the same transaction', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  const { receiver, swap: made } = swap.view
  const chain = hand.chain(FROM)
  const payer = accountFrom('twice')
  const { contract } = made.source
  const units = 25_000_000n
  chain.mint(payer.address, null, chain.feePerMove * 2n)
  chain.mint(payer.address, contract, units * 2n)
  const move = { from: payer.address, to: receiver, contract, units }
  const nonce = chain.nonce(payer.address)
  const order = { network: FROM, account: payer.address, nonce, fee: chain.feePerMove * 2n, memo: null }
  chain.submit(signedBy({ ...order, moves: [move, move] }, payer))
  chain.mine(TIER)
  await hand.watch(FROM)
  const { database: db } = hand.services
  const { id } = await db
    .selectFrom('payout')
    .select('id')
    .where('swap_id', '=', made.id)
    .where('kind', '=', 'output')
    .executeTakeFirstOrThrow()
  const deposits = await db
    .selectFrom('deposit')
    .select(['id', 'output_units'])
    .where('swap_id', '=', made.id)
    .execute()
  expect(deposits.filter(({ output_units }) => output_units > 0n)).toHaveLength(2)
  const lose = (one: string | undefined) =>
    db
      .updateTable('deposit')
      .set({ state: 'lost' })
      .where('id', '=', one ?? '')
      .execute()
  const { prepare } = adapter()
  Object.assign(adapter(), { prepare: () => Promise.reject(new RetryLater('no node answers')) })
  await lose(deposits[0]?.id)
  await pay(hand.services, id)
  expect(await holdOf(db, id)).toMatchObject({ code: 'deposit_lost' })
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(db, id)))
  await lose(deposits[1]?.id)
  Object.assign(adapter(), { prepare })
  await pay(hand.services, id)
  expect((await rowOf(id)).started, 'paid although nobody has answered for the second').toBe(false)
})

test('two processes leave one open hold', async () => {
  const { id } = await output()
  const { database: db, now } = hand.services
  await db
    .transaction()
    .execute(async (queries) => {
      await holdPayout(queries, id, { hold: { code: 'approval_needed' }, now: now() })
      const other = holdPayout(db, id, { hold: { code: 'screened', address: 'x', listing: 'y' }, now: now() })
      await eventually(async () => {
        const blocked = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return (await blocked.execute(db)).rows.length > 0
      }, 'the other one waits for the lock')
      return { other }
    })
    .then(({ other }) => other)
  const open = await db
    .selectFrom('hold')
    .select('code')
    .where('payout_id', '=', id)
    .where('closed_at', 'is', null)
    .execute()
  expect(open.map(({ code }) => code)).toHaveLength(1)
})

test('a closed payout has no open hold', async () => {
  const { id } = await output()
  const { database: db, now } = hand.services
  await db.updateTable('payout').set({ state: 'abandoned' }).where('id', '=', id).execute()
  // A process that read the payout earlier stores now why it could not pay it.
  await holdPayout(db, id, { hold: { code: 'approval_needed' }, now: now() })
  const open = await db
    .selectFrom('hold')
    .select('code')
    .where('payout_id', '=', id)
    .where('closed_at', 'is', null)
    .execute()
  expect(open).toEqual([])
})

test('time without a history check does not count for the give-up clock', async () => {
  const { id } = await output()
  await withoutHistory(async () => {
    await pay(hand.services, id)
    expect(await holdOf(hand.services.database, id)).toEqual({ code: 'trouble', error: 'NotLooked' })
    hand.passTime(hand.services.config.payoutGiveUpMs + 1000)
    await pay(hand.services, id)
    expect((await rowOf(id)).state).toBe('open')
    // Nor does it delay the next try: the process pays nothing until it has read the history.
    const { rows } = await sql<{ seconds: number }>`select extract(epoch from run_at - now())::float as seconds
      from graphile_worker.jobs where key = ${`pay:${id}`}`.execute(hand.services.database)
    expect(rows[0]?.seconds).toBeLessThanOrEqual(2)
  })
  const { prepare } = adapter()
  Object.assign(adapter(), { prepare: () => Promise.reject(new RetryLater('a hiccup')) })
  await pay(hand.services, id)
  Object.assign(adapter(), { prepare })
  expect((await rowOf(id)).state, 'given up at its first try').toBe('open')
})

test('lasting trouble is given up although a rule holds it for a moment in between', async () => {
  const { database: db } = hand.services
  const { id: one } = await output()
  Object.assign(adapter(), { prepare: () => Promise.reject(new RetryLater('no node answers')) })
  for (let hours = 0; hours < 12 && (await rowOf(one)).state === 'open'; hours++) {
    await pay(hand.services, one)
    hand.passTime(3_600_000)
    // A limit, a price or the fee ceiling holds the payout once.
    await holdPayout(db, one, { hold: { code: 'fee_above_limit' }, now: hand.services.now() })
  }
  expect((await rowOf(one)).state).toBe('abandoned')
})

test('a release does not cover a halt that was repeated with the same note', async () => {
  const { treasury } = adapter()
  const { database: db } = hand.services
  const place = ['--network', TO, '--wallet', treasury]
  await admin(hand.services, 'wallet', 'halt', ...place, '--reason', 'maintenance')
  const words = await releaseWords(db, TO, treasury)
  await admin(hand.services, 'wallet', 'halt', ...place, '--reason', 'maintenance')
  await admin(hand.services, 'wallet', 'release', ...words).catch(() => null)
  expect(await haltCauses(db)).not.toEqual([])
})
