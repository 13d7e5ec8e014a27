/** What lines of the journal leave in a restored database: which payouts they hold, and that every line can be stored. */
import { randomUUID } from 'node:crypto'
import type { Token } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sampleNetwork, tokenOf } from '../../../../tests/support/chains/samples.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { insertReturn } from '../deposits/unmatched.ts'
import type { DepositRow, PayoutRow } from '../swaps/swaps.ts'
import { settledBefore } from './recorded-payouts.ts'
import { replaySigned, type SignedLine } from './replay.ts'

const NATIVE = { symbol: 'SIM', contract: null, decimals: 18 }
const TOKEN: Token = tokenOf(sampleNetwork([NATIVE], { name: 'ALPHA', type: 'starkex' }), 'SIM')
const ACCOUNT = 'sim1wallet'
const NOW = new Date('2030-01-01T00:00:00Z')

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

const depositAt = (index: number): Promise<DepositRow> =>
  database
    .insertInto('deposit')
    .values({
      ...{ network: 'ALPHA', tx_hash: 'tx', index, block_number: 1n, block_hash: 'x' },
      ...{ from_address: null, to_address: ACCOUNT, token: 'native', units: 1n, reference: null },
      ...{ swap_id: null, state: 'confirmed', confirmations_wanted: 1 },
    })
    .returningAll()
    .executeTakeFirstOrThrow()

const returnOf = (deposit: DepositRow): Promise<PayoutRow> =>
  insertReturn(database, { deposit, token: TOKEN, account: ACCOUNT, units: 1n, keptUnits: 0n, to: 'sim1to', now: NOW })

function line(n: number, id: string, settles: string[], more: Partial<SignedLine> = {}): SignedLine {
  const payout = { id, kind: 'output', swap: randomUUID(), token: 'native', units: '1', to: 'sim1to', settles }
  const transfer = { hash: `hash ${n}`, bytes: `bytes ${n}`, fee: '1' }
  const place = { network: 'ALPHA', account: ACCOUNT, slot: ['7'] }
  return { n, hash: `line ${n}`, ...place, attempt: 0, cancels: false, payouts: [payout], transfer, ...more }
}

const store = (one: SignedLine) => database.transaction().execute((queries) => replaySigned(queries, one, NOW))
const SETTLED = ['d:ALPHA/tx/1', 'd:ALPHA/tx/2', 't:ALPHA/tx']

test('a deposit that a reorg moved is held, though another of the same transaction is where it was', async () => {
  const id = randomUUID()
  await store(line(1, id, SETTLED))
  await depositAt(1)
  // It was at 2.
  const moved = await returnOf(await depositAt(3))
  expect(await settledBefore(database, [moved])).toEqual(new Map([[moved.id, id]]))
  await depositAt(2)
  expect(await settledBefore(database, [moved]), 'a third deposit of that transaction').toEqual(new Map())
})

test('it is held, too, when the payout of the journal belongs to its deposit again', async () => {
  const id = randomUUID()
  await store(line(1, id, SETTLED))
  const first = await depositAt(1)
  const moved = await returnOf(await depositAt(3))
  const { kind } = moved
  await database.updateTable('payout').set({ kind, deposit_id: first.id, number: 1 }).where('id', '=', id).execute()
  expect(await settledBefore(database, [moved])).toEqual(new Map([[moved.id, id]]))
  await depositAt(2)
  expect(await settledBefore(database, [moved])).toEqual(new Map())
})

test('a fee bump is stored beside a payout that was given up after the rollback', async () => {
  const given = await returnOf(await depositAt(1))
  await database.updateTable('payout').set({ state: 'abandoned' }).where('id', '=', given.id).execute()
  await store(line(1, given.id, ['d:ALPHA/tx/1']))
  await store(line(2, given.id, ['d:ALPHA/tx/1'], { attempt: 1 }))
  const attempts = await database.selectFrom('attempt').select(['number', 'slot_id']).orderBy('number').execute()
  expect(attempts.map(({ number }) => number)).toEqual([0, 1])
  expect(new Set(attempts.map(({ slot_id }) => slot_id)).size).toBe(1)
})
