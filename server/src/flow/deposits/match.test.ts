/** A backfill finds many deposits at once: they are stored together, and each is recorded once. */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { openPool } from '../../store/db/database.ts'
import type { Schema } from '../../store/db/schema.ts'
import { recordSightings } from './record-observations.ts'

const [FROM, TO] = ['ALPHA', 'BETA']

let database: TestDatabase
let hand: Hand
let chain: ChainAdapter
let counted: Kysely<Schema>
let statements = 0
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  chain = chainOf(hand.services.chains, FROM)
  counted = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: openPool(database.url, 1) }),
    log: () => {
      statements += 1
    },
  })
})
afterAll(async () => {
  await counted.destroy()
  await hand.stop()
  await database.stop()
})

/** Transfers of one scan, without a reference unless `more` gives one. */
function sightings(count: number, more: Partial<Sighting> = {}): Sighting[] {
  const block = { number: BigInt(hand.chain(FROM).height), hash: 'block' }
  const amount = { token: chain.network.nativeToken, units: 5n }
  const common = {
    index: 0,
    block,
    refundableSender: null,
    fundingAddresses: [],
    to: chain.treasury,
    amount,
    reference: null,
  }
  return Array.from({ length: count }, () => ({ ...common, txHash: crypto.randomUUID(), ...more }))
}

/** Returns the number of SQL statements that it took. */
async function matched(all: readonly Sighting[]): Promise<number> {
  const before = statements
  await counted.transaction().execute((queries) => recordSightings(hand.services, queries, chain, all, 'scan'))
  return statements - before
}

const rowsOf = (all: readonly Sighting[]) =>
  counted
    .selectFrom('deposit')
    .select(['tx_hash', 'index', 'swap_id', 'units'])
    .where(
      'tx_hash',
      'in',
      all.map(({ txHash }) => txHash),
    )
    .orderBy('index')
    .execute()

test('a hundred deposits without a reference take as many statements as two', async () => {
  const [few, many] = [sightings(2), sightings(100)]
  const taken = await matched(few)
  expect(await matched(many)).toBe(taken)
  expect([(await rowsOf(few)).length, (await rowsOf(many)).length]).toEqual([2, 100])
})

test('a transfer that a scan reports twice is stored once, also if it was stored before', async () => {
  const [known] = sightings(1)
  if (!known) throw new Error('there is none')
  await matched([known])
  const [other, another] = [
    { ...known, index: 1 },
    { ...known, index: 2 },
  ]
  await matched([other, known, other, another])
  expect(await rowsOf([known])).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }])
})

test('each of many deposits goes to the swap that it names', async () => {
  const [first, second] = [await hand.swap(FROM, TO), await hand.swap(FROM, TO)]
  const named = [first, second].flatMap(({ view: { swap, reference, receiver } }) =>
    sightings(1, { to: receiver, amount: { token: swap.source, units: 50_000_000n }, reference }),
  )
  const nobodys = sightings(2)
  await matched([...nobodys, ...named])
  const given = new Map((await rowsOf([...named, ...nobodys])).map((row) => [row.tx_hash, row.swap_id]))
  expect(named.map(({ txHash }) => given.get(txHash))).toEqual([first.view.swap.id, second.view.swap.id])
  expect(nobodys.map(({ txHash }) => given.get(txHash))).toEqual([null, null])
})

test.each([
  ['a NUL character', { fundingAddresses: ['a\u0000b'] }],
  ['half a character', { fundingAddresses: ['a\ud800b'] }],
  ['an index that the table cannot hold', { index: 2 ** 31 }],
] satisfies [string, Partial<Sighting>][])('%s in one transaction does not stop the scan', async (_, odd) => {
  const others = sightings(2)
  await matched([...sightings(1, odd), ...others])
  expect(await rowsOf(others)).toHaveLength(2)
})
