/** A process has one branch, which no other has, and counts its indexes from 1. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { addWriter, endWriter, writersWithoutBranch } from '../journal/writers.ts'
import {
  createAddressBranch,
  keylessBranches,
  newestBranches,
  readBranch,
  rememberBranches,
  setBranch,
} from './address-branch.ts'
import { insertDepositAddress, lastAddressIndex } from './addresses.ts'

const STARTED = new Date('2030-01-01T00:00:00Z')

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
beforeEach(async () => {
  await database.deleteFrom('writer').where('id', '<>', '00000000-0000-0000-0000-000000000000').execute()
  await database.deleteFrom('deposit_address').execute()
})

/** A process that started then. */
async function start(secondsLater: number, hasKeys = true): Promise<string> {
  const id = randomUUID()
  await addWriter(database, id, false, hasKeys)
  const startedAt = new Date(STARTED.getTime() + secondsLater * 1000)
  await database.updateTable('writer').set({ started_at: startedAt }).where('id', '=', id).execute()
  return id
}

test('a running process without a branch waits for one, and keeps the one that it gets', async () => {
  const [one, other, ended] = [await start(0), await start(0), await start(0)]
  await endWriter(database, ended)
  expect((await writersWithoutBranch(database)).toSorted()).toEqual([one, other].toSorted())
  await setBranch(database, one, 5)
  await setBranch(database, one, 6)
  expect(await readBranch(database, one)).toBe(5)
  expect(await writersWithoutBranch(database)).toEqual([other])
  await setBranch(database, other, 5)
  expect(await readBranch(database, other), 'it is taken').toBeNull()
})

test('a branch that the database has lost is remembered once', async () => {
  await setBranch(database, await start(0), 5)
  await rememberBranches(database, [5, 6], STARTED)
  await rememberBranches(database, [6], STARTED)
  expect(await newestBranches(database, 3)).toEqual([6, 5])
  expect(await writersWithoutBranch(database)).toEqual([])
})

test('indexes are counted per network, and a released one is taken again', async () => {
  const branch = createAddressBranch(1)
  expect([branch.take('ALPHA'), branch.take('ALPHA'), branch.take('BETA'), branch.take('ALPHA')]).toEqual([1, 2, 1, 3])
  branch.release('ALPHA', 2)
  expect([branch.take('ALPHA'), branch.take('ALPHA'), branch.take('BETA')]).toEqual([2, 4, 2])
  branch.release('ALPHA', 3)
  branch.skipTo('ALPHA', 20)
  expect(branch.take('ALPHA')).toBe(21)
  branch.skipTo('ALPHA', 5)
  expect(branch.take('ALPHA')).toBe(22)
})

test('an index of a branch is stored once, and each branch has its own', async () => {
  const place = { network: 'ALPHA', account: 'treasury', branch: 7 }
  const store = (branch: number, address: string) =>
    insertDepositAddress(database, { ...place, branch, index: 3, address, purpose: address })
  expect([await store(7, 'one'), await store(7, 'two'), await store(8, 'three')]).toEqual([true, false, true])
  expect(await lastAddressIndex(database, place)).toBe(3)
  expect(await lastAddressIndex(database, { ...place, branch: 9 })).toBe(0)
})

test('spare keys are made for processes without keys that are new or give out addresses', async () => {
  const started = [await start(0), await start(1, false), await start(2, false), await start(100, false)]
  for (const [at, id] of started.entries()) await setBranch(database, id, at + 1)
  await start(100, false)
  const [old, used, fresh] = [2, 3, 4]
  const place = { network: 'ALPHA', account: 'treasury', index: 1 }
  await insertDepositAddress(database, { ...place, branch: used, address: 'used', purpose: 'used' })
  // The row's own time is the database's.
  await database
    .updateTable('deposit_address')
    .set({ created_at: new Date(STARTED.getTime() + 99_000) })
    .execute()
  const since = new Date(STARTED.getTime() + 50_000)
  expect(await keylessBranches(database, 'ALPHA', since)).toEqual([used, fresh])
  expect(await keylessBranches(database, 'BETA', since)).toEqual([fresh])
  expect(await newestBranches(database, 3)).toEqual([fresh, used, old])
})
