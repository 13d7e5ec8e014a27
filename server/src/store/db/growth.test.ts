/**
 * Recurring queries cost the same after years of swaps: none reads more rows than it needs, however many swaps have
 * ended or are held, lost or gone.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { listQueries } from '../../../../tests/support/database/lists.ts'
import { periodicQueries } from '../../../../tests/support/database/periodic.ts'
import { type WatchedDatabase, watchDatabase } from '../../../../tests/support/database/plans.ts'
import { fillExpired, fillHistory, fillTrouble } from '../../../../tests/support/database/seed-rows.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { createDays, DAY_MS } from '../../swaps/days.ts'
import { foldLedger } from '../ledger/balances.ts'
import { foldReservations } from '../payouts/liquidity-reservations.ts'
import type { Flow } from '../swaps/analytics.ts'
import { saveUtxos } from '../watch/utxos.ts'

const [FROM, TO, QUIET] = ['ALPHA', 'BETA', 'GAMMA']
/** Enough rows to distinguish a query that reads all of them from one that does not. */
const SWAPS = 5_000
const TROUBLE = 1_500
const EXPIRED = 1_500
const HOUR_MS = 3_600_000
/** A batch and the rows that belong to it. */
const MOST_ROWS = 450
/** Queries that may read more rows, whatever is stored. */
const MORE: Record<string, number> = {
  // Three reads of five thousand rows: where the slice ends, whether it balances, and its neighbours if it splits a
  // posting.
  'proof of a slice of postings': 15_500,
  // Reads the newest thousand.
  'how long swaps take': 1_010,
  // Reads one day, by slots, postings and payouts.
  'rules before a payout': 4_000,
}

let own: TestDatabase
let hand: Hand
let watched: WatchedDatabase
beforeAll(async () => {
  own = await startDatabase()
  hand = await startHand(own.url)
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(8)
  await hand.watch(FROM)
  await hand.runJobs()
  hand.chain(TO).mine(8)
  await hand.watch(TO)
  hand.chain(FROM).mine(20)
  hand.chain(TO).mine(20)
  const pool = new pg.Pool({ connectionString: own.url, max: 1 })
  await fillHistory(pool, swap.view.swap.id, SWAPS)
  await fillTrouble(pool, swap.view.swap.id, TROUBLE)
  await fillExpired(pool, swap.view.swap.id, EXPIRED)
  await fillCoins()
  await foldLedger(hand.services.database)
  await foldReservations(hand.services.database)
  await pool.query('vacuum analyze')
  await pool.end()
  watched = watchDatabase(own.url)
}, 120_000)
afterAll(async () => {
  await watched.database.destroy()
  await hand.stop()
  await own.stop()
})

/** All but ten are spent, and the spent ones are still stored: a query that reads them all shows up as too expensive. */
async function fillCoins(): Promise<void> {
  const chain = hand.services.chains.get(TO)
  const coins = Array.from({ length: SWAPS }, (_, number) => ({
    part: `coin:${number}`,
    owner: chain?.treasury ?? '',
    units: 1n,
    madeAt: 1n,
    isCoinbase: false,
  }))
  const spent = coins.slice(10).map(({ part }) => ({ part, at: 2n }))
  const block = { number: 2n, hash: 'two' }
  const changes = { edition: 0n, after: null, backTo: null, made: coins, spent, block, forgetBefore: 0n }
  await saveUtxos(hand.services.database, TO, changes)
}

test('no periodic query reads finished, held or lost rows', async () => {
  expect(await tooDear(periodicQueries)).toEqual({})
}, 60_000)

test('no list reads swaps beyond its pages', async () => {
  expect(await tooDear(listQueries)).toEqual({})
}, 60_000)

test('the swaps of a past day are summed once, however many there were', async () => {
  const days = createDays(watched.database)
  // One hour into a day, so that the previous day is settled: only the sample's rows of that hour are read again.
  const now = Math.floor(hand.services.now().getTime() / DAY_MS) * DAY_MS + HOUR_MS
  const from = now - HOUR_MS - 6 * DAY_MS
  const countOf = (flows: Flow[]) => flows.reduce((sum, { swaps }) => sum + swaps, 0)
  watched.readings()
  const first = await days.flows(from, now)
  const dearest = watched.readings().reduce((sum, { rows }) => sum + rows, 0)
  expect(countOf(first)).toBe(dearest)
  expect(dearest).toBeGreaterThan(SWAPS / 2)
  expect(await days.flows(from, now)).toEqual(first)
  expect(watched.readings().reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(50)
})

/** Queries that read more rows than expected. */
async function tooDear(questions: typeof periodicQueries): Promise<Record<string, unknown>> {
  const dear: Record<string, unknown> = {}
  const networks = { from: FROM, to: TO, quiet: QUIET }
  for (const [name, ask] of Object.entries(questions(hand, watched.database, networks))) {
    watched.readings()
    await ask()
    const readings = watched.readings()
    expect(readings, `plans of ${name}`).not.toEqual([])
    const rows = readings.reduce((sum, reading) => sum + reading.rows, 0)
    if (rows > (MORE[name] ?? MOST_ROWS)) dear[name] = { rows, by: readings.map(({ worst }) => worst) }
  }
  return dear
}
